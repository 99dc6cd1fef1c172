# Reads the main loop out of a cubin (sm_90) and predicts the share of the clocks in which an FMA issues.
# Two register banks by parity; each delivers one operand per clock; one instruction of slack; a reused operand is free.
import struct, sys
def text(path):
    d = open(path, 'rb').read(); shoff, = struct.unpack_from('<Q', d, 0x28); es, n, si = struct.unpack_from('<HHH', d, 0x3A)
    secs = [struct.unpack_from('<IIQQQQIIQQ', d, shoff + i * es) for i in range(n)]
    names = secs[si]
    for s in secs:
        e = d.index(b'\0', names[4] + s[0]); nm = d[names[4] + s[0]:e]
        if nm.startswith(b'.text.'): yield d[s[4]:s[4] + s[5]]
class I:
    def __init__(s, raw):
        lo, hi = struct.unpack('<QQ', raw); s.lo, s.hi = lo, hi
        s.op = lo & 0xfff; s.d = lo >> 16 & 255; s.a = lo >> 24 & 255; s.b = lo >> 32 & 255; s.c = hi & 255
        ctl = hi >> 41; s.stall = ctl & 15; s.yld = ctl >> 4 & 1; s.wb = ctl >> 5 & 7; s.rb = ctl >> 8 & 7; s.wait = ctl >> 11 & 63; s.reuse = ctl >> 17 & 15
    ffma = property(lambda s: s.op == 0x223)
def loop(code):
    ins = [I(code[i:i + 16]) for i in range(0, len(code), 16)]
    best = None; found = []
    for i, x in enumerate(ins):
        if x.op == 0x947:  # BRA: signed 50-bit offset in units of 4 from bit 34 (of 128: bits 34..81)
            off = ((x.lo >> 34) | (x.hi & 0x3ffff) << 30); off -= (off >> 47 & 1) << 48; off = off * 256 + (x.lo >> 16 & 255)
            t = i + 1 + off * 4 // 16
            if 0 <= t < i:
                n = sum(y.ffma for y in ins[t:i + 1])
                found.append((n, t, i))
    if found:
        most = max(f[0] for f in found); best = min((f for f in found if f[0] > 0.85 * most), key=lambda f: f[2] - f[1])
    return ins[best[1]:best[2] + 1] if best else []
def model(body):
    clock = 0.0; free = [0.0, 0.0]; cache = [None] * 3; conflicts = 0; reads = 0; moved = 0
    for r in range(2):
        if r == 1: start = clock; conflicts = reads = 0
        for x in body:
            if not x.ffma:
                cache = [None] * 3
                clock += 1
                continue
            ops = [x.a, x.b, x.c]; need = [0, 0]
            for slot, reg in enumerate(ops):
                if reg == 255 or cache[slot] == reg: continue
                need[reg & 1] += 1
            for slot, reg in enumerate(ops): cache[slot] = reg if x.reuse >> slot & 1 else None
            reads += sum(need); issue = max(clock, max(free) - 1); conflicts += max(need) > 1
            free = [max(f, issue) + n if n else f for f, n in zip(free, need)]; clock = issue + 1
            if r and x.d != x.c: moved += 1
    n = sum(x.ffma for x in body)
    return dict(ffma=n, total=len(body), share=100 * n / len(body), model=100 * n / (clock - start), conflicts=100 * conflicts / n if n else 0, reads=reads / n if n else 0, renamed=moved)
if __name__ == '__main__':
    for p in sys.argv[1:]:
        for c in text(p):
            b = loop(c); m = model(b); print(p[-20:], {k: round(v, 2) for k, v in m.items()})
