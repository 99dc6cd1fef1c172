#include "ptx/module.h"
namespace tilescope::ptx {
Diagnostics verify(const Module&) { return {}; }
}
