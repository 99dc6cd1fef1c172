// What CMake would write into libc++'s __config_site: musl, pthreads, nothing checked at run time.
#ifndef _LIBCPP___CONFIG_SITE
#define _LIBCPP___CONFIG_SITE
#ifndef _LIBCPP_ABI_VERSION  // emscripten names it on its command lines, too.
#define _LIBCPP_ABI_VERSION 2
#endif
#define _LIBCPP_ABI_NAMESPACE __2
#define _LIBCPP_HAS_MUSL_LIBC
#define _LIBCPP_HAS_THREAD_API_PTHREAD
#define _LIBCPP_HAS_NO_VENDOR_AVAILABILITY_ANNOTATIONS
#define _LIBCPP_HAS_NO_TIME_ZONE_DATABASE
#define _LIBCPP_PSTL_BACKEND_SERIAL
#define _LIBCPP_HARDENING_MODE_DEFAULT 2
#endif
