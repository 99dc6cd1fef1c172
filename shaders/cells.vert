#version 330 core
// A grid of cells as one rectangle, in pixels of the framebuffer with y down.
uniform vec4 box;       // x, y, width, height
uniform vec2 viewport;  // width, height

void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  // Wide enough for every pixel that the fragment shader may round to.
  vec2 at = box.xy - 1.0 + corner * (box.zw + 2.0);
  gl_Position = vec4(at.x / viewport.x * 2.0 - 1.0, 1.0 - at.y / viewport.y * 2.0, 0.0, 1.0);
}
