// The writer of pictures, which Debian's library has compiled.
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb_image_write.h>
