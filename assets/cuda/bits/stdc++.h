// All that device code has of it stands in tilescope_cuda.h, which is read before every source.
