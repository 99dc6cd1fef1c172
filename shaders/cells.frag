#version 330 core
// Finds the cell that a pixel belongs to. Edges of cells are rounded to whole pixels, so they are sharp at every scale.
uniform vec4 box;         // x, y, width, height
uniform vec2 viewport;    // width, height
uniform ivec2 cells;      // columns, rows
uniform float gap;        // whole pixels
uniform int first;        // texel of the first cell
uniform sampler2D colours;  // one texel a cell, row by row, in lines of 1024
out vec4 colour;

float edge(float origin, float size, int cell) { return floor(origin + size * float(cell) + 0.5); }

// The cell along one axis, or -1 in a gap and outside.
int cell_at(float at, float origin, float extent, int count) {
  float size = extent / float(count);
  int cell = int(floor((at - origin) / size));
  if (size < 2.0) return at < edge(origin, size, 0) || at > edge(origin, size, count) ? -1 : clamp(cell, 0, count - 1);
  if (at < edge(origin, size, cell)) --cell;
  if (at > edge(origin, size, cell + 1)) ++cell;
  if (cell < 0 || cell >= count) return -1;
  float before = floor(gap * 0.5);
  bool inside = at > edge(origin, size, cell) + before && at < edge(origin, size, cell + 1) - (gap - before);
  return inside ? cell : -1;
}

void main() {
  vec2 at = vec2(gl_FragCoord.x, viewport.y - gl_FragCoord.y);
  ivec2 cell = ivec2(cell_at(at.x, box.x, box.z, cells.x), cell_at(at.y, box.y, box.w, cells.y));
  if (cell.x < 0 || cell.y < 0) discard;
  int texel = first + cell.y * cells.x + cell.x;
  // Software rendering divides integers one lane at a time; these bits cost nothing.
  colour = texelFetch(colours, ivec2(texel & 1023, texel >> 10), 0);
}
