"""Times the stages' cubins beside cuBLAS, interleaved in one process, and compares each with FP64; see README.md.

Usage: measure.py FOLDER/settings.json   (rows go to $OUT, or /tmp; needs PyTorch)
"""
import ctypes, json, math, os, re, statistics, sys, time
import torch
cfg = json.load(open(sys.argv[1]))
out = os.environ.get('OUT', '/tmp')
bad_file = '/tmp/bad.json'
bad = json.load(open(bad_file)) if os.path.exists(bad_file) else []
cu = ctypes.CDLL('libcuda.so.1')
try: cb = ctypes.CDLL('libcublas.so.13')
except OSError:
    torch.ones(8, 8, device='cuda') @ torch.ones(8, 8, device='cuda')
    path = [l.split()[-1] for l in open('/proc/self/maps') if 'libcublas.so' in l][0]
    cb = ctypes.CDLL(path)
torch.cuda.init(); torch.zeros(1, device='cuda')
def ok(code, what):
    if code: raise RuntimeError(f'{what}: {code}')
handle = ctypes.c_void_p(); ok(cb.cublasCreate_v2(ctypes.byref(handle)), 'create')
version = ctypes.c_int(); cb.cublasGetVersion_v2(handle, ctypes.byref(version))
work = torch.empty(64 << 20, dtype=torch.uint8, device='cuda')
one, zero = ctypes.c_float(1), ctypes.c_float(0)
def stream(): return ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
def cublas(kind, s):
    M, N, K = s.shape
    ok(cb.cublasSetStream_v2(handle, stream()), 'stream')
    ok(cb.cublasSetWorkspace_v2(handle, ctypes.c_void_p(work.data_ptr()), ctypes.c_size_t(32 << 20)), 'workspace')
    A, B, C = s.arrays(kind); p = lambda t: ctypes.c_void_p(t.data_ptr())
    if kind == 'f32':
        return ok(cb.cublasSgemm_v2(handle, 0, 0, N, M, K, ctypes.byref(one), p(B), N, p(A), K, ctypes.byref(zero), p(C), N), 'sgemm')
    t, c = (14, 68) if kind == 'bf16' else (0, 77)
    ok(cb.cublasGemmEx(handle, 0, 0, N, M, K, ctypes.byref(one), p(B), t, N, p(A), t, K, ctypes.byref(zero), p(C), t, N, c, -1), 'gemmex')

class Map:
    def __init__(self, dtype, tensor, dims, strides, box, swizzle):
        self.raw = ctypes.create_string_buffer(256)
        at = ctypes.addressof(self.raw); self.at = (at + 63) // 64 * 64
        n = len(dims)
        ok(cu.cuTensorMapEncodeTiled(ctypes.c_void_p(self.at), dtype, n, ctypes.c_void_p(tensor.data_ptr()),
            (ctypes.c_uint64 * n)(*dims), (ctypes.c_uint64 * max(n - 1, 1))(*strides), (ctypes.c_uint32 * n)(*box),
            (ctypes.c_uint32 * n)(*([1] * n)), 0, swizzle, cfg.get('promotion', 2), 0), 'map')

class Size:
    def __init__(self, shape):
        self.shape = M, N, K = shape
        g = torch.Generator(device='cuda'); g.manual_seed(M * 7 + N * 3 + K)
        self.A = torch.randn(M, K, device='cuda', generator=g); self.B = torch.randn(K, N, device='cuda', generator=g)
        self.C = torch.empty(M, N, device='cuda')
        self.A16, self.B16 = self.A.bfloat16(), self.B.bfloat16(); self.C16 = torch.empty(M, N, device='cuda', dtype=torch.bfloat16)
        self.refs = {}
    def arrays(self, kind): return (self.A16, self.B16, self.C16) if kind == 'bf16' else (self.A, self.B, self.C)
    def ref(self, kind):
        k = 'bf16' if kind == 'bf16' else 'f32'
        if k not in self.refs:
            A, B, _ = self.arrays(kind); self.refs[k] = A.double() @ B.double()
        return self.refs[k]
    def error(self, kind):
        C = self.arrays(kind)[2]; r = self.ref(kind)
        e = (C.double() - r); return (e.norm() / r.norm()).item(), (e.abs().max() / r.abs().max()).item()

class LaunchAttribute(ctypes.Structure):
    _fields_ = [('id', ctypes.c_int), ('pad', ctypes.c_int), ('value', ctypes.c_int * 16)]
class LaunchConfig(ctypes.Structure):
    _fields_ = [('grid', ctypes.c_uint * 3), ('block', ctypes.c_uint * 3), ('smem', ctypes.c_uint), ('stream', ctypes.c_void_p),
                ('attrs', ctypes.c_void_p), ('count', ctypes.c_uint)]

class Variant:
    def __init__(self, v):
        self.__dict__.update(v); self.p = v['params']
        data = open(v['cubin'], 'rb').read()
        name = re.search(rb'\.text\.(_Z[A-Za-z0-9_]+)', data).group(1)
        self.mod, self.fn = ctypes.c_void_p(), ctypes.c_void_p()
        ok(cu.cuModuleLoadData(ctypes.byref(self.mod), data), 'load ' + self.name)
        ok(cu.cuModuleGetFunction(ctypes.byref(self.fn), self.mod, name), 'function')
        if v.get('smem', 0):
            ok(cu.cuFuncSetAttribute(self.fn, 8, v['smem']), 'smem ' + self.name)
    def takes(self, shape):
        M, N, K = shape; p = self.p
        if self.family == 'any': return not self.__dict__.get('only') or list(shape) in self.only
        if M % p['BM'] or N % p['BN'] or K % p['BK']: return False
        if self.family == 'tf32_wgmma' and (N % (p['BN'] * p['CLUSTER']) or K % 64): return False
        if self.family == 'streamk' and (M // p['BM']) * (N // p['BN']) < 1: return False
        return not self.__dict__.get('only') or list(shape) in self.only or shape[0] in self.only
    def prepare(self, s):
        M, N, K = s.shape; p = self.p; f = self.family; A, B, C = s.arrays(self.kind)
        ptr = lambda t: ctypes.c_void_p(t.data_ptr()); i = ctypes.c_int; fl = ctypes.c_float
        tiles = (M // p['BM']) * (N // p['BN'])
        self.keep = []
        if f == 'grid2d': args, grid = [ptr(A), ptr(B), ptr(C), i(M), i(N), i(K)], (N // p['BN'], M // p['BM'])
        elif f == 'grid1d': args, grid = [ptr(A), ptr(B), ptr(C), i(M), i(N), i(K)], (tiles, 1)
        elif f == 'alpha': args, grid = [ptr(A), ptr(B), ptr(C), i(M), i(N), i(K), fl(1)], (tiles, 1)
        elif f == 'any':
            m = Map(7, B, [N, K], [N * 4], [p['BN'], p['BK']], 0) if N % 4 == 0 else Map(7, B, [4, 4], [16], [4, 4], 0)
            self.keep.append(m); tiles = -(-M // p['BM']) * -(-N // p['BN'])
            args, grid = [m, ptr(A), ptr(B), ptr(C), i(M), i(N), i(K), fl(1)], (tiles, 1)
        elif f in ('tmab', 'streamk'):
            m = Map(7, B, [N, K], [N * 4], [p['BN'], p['BK']], 0); self.keep.append(m)
            args, grid = [m, ptr(A), ptr(C), i(M), i(N), i(K), fl(1)], (tiles, 1)
            if f == 'streamk':
                self.ws = torch.empty(132 * p['BM'] * p['BN'], device='cuda'); self.flags = torch.zeros(132, dtype=torch.int32, device='cuda')
                args += [ptr(self.ws), ptr(self.flags)]; grid = (132, 1)
        elif f == 'bf16_wgmma':
            a = Map(9, A, [K, M], [K * 2], [64, p['BM']], 3)
            b = Map(9, B, [64, K, N // 64], [N * 2, 128], [64, 64, p['BN'] // 64], 3)
            c = Map(9, C, [N, M], [N * 2], [64, 64], 3)
            args = [a, b, c, i(M), i(N), i(K)]; grid = (persistent(tiles, 1), 1)
        elif f == 'tf32_wgmma':
            cl = p['CLUSTER']
            a = Map(11, A, [K, M], [K * 4], [32, p['BM'] // cl], 3)
            b = Map(11, B, [32, K, N // 32], [N * 4, 128], [32, 32, p['BN'] // 32], 3)
            c = Map(7, C, [N, M], [N * 4], [32, 32], 3)
            args = [a, b, c, i(M), i(N), i(K)]; grid = (persistent(tiles, cl), 1)
        vals = (ctypes.c_void_p * len(args))(*[a.at if isinstance(a, Map) else ctypes.addressof(a) for a in args])
        self.args, self.vals, self.grid = args, vals, grid
    def launch(self):
        if self.__dict__.get('overlap'):  # the next launch may start while this one runs; griddepcontrol.wait orders them
            config = LaunchConfig((ctypes.c_uint * 3)(*self.grid, 1), (ctypes.c_uint * 3)(self.threads, 1, 1), self.__dict__.get('smem', 0), stream(), None, 1)
            attribute = LaunchAttribute(6, 0, (ctypes.c_int * 16)(1)); config.attrs = ctypes.addressof(attribute)
            return ok(cu.cuLaunchKernelEx(ctypes.byref(config), self.fn, self.vals, None), 'launch ' + self.name)
        ok(cu.cuLaunchKernel(self.fn, *self.grid, 1, self.threads, 1, 1, self.__dict__.get('smem', 0), stream(), self.vals, None), 'launch ' + self.name)

def persistent(tiles, cluster):
    most = 132 // cluster; waves = -(-(tiles // cluster) // most)
    return -(-(tiles // cluster) // waves) * cluster

def finish(name):
    e = torch.cuda.Event(); e.record(); t = time.time()
    while not e.query():
        if time.time() - t > 6:
            print('HANG', name, flush=True); bad.append(name); json.dump(bad, open(bad_file, 'w')); os._exit(3)
        time.sleep(0.0002)

def graph(call, n):
    g = torch.cuda.CUDAGraph()
    with torch.cuda.graph(g):
        for _ in range(n): call()
    return g
def window(g, n, sleep):
    if sleep: time.sleep(sleep)
    a, b = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    torch.cuda._sleep(300000)  # the host has asked for everything before the first event passes
    a.record(); g.replay(); b.record(); b.synchronize()
    return a.elapsed_time(b) / n * 1e-3

print(torch.cuda.get_device_name(), 'cublas', version.value, time.strftime('%F %T'), flush=True)
os.system('nvidia-smi --query-gpu=driver_version,clocks.sm,clocks.max.sm,power.draw,temperature.gpu --format=csv,noheader')
variants = []
for v in cfg['variants']:
    if v['name'] in bad: continue
    try: variants.append(Variant(v))
    except Exception as e: print('FAIL', v['name'], e)
rows = []
def clock():
    import pynvml
    pynvml.nvmlInit(); h = pynvml.nvmlDeviceGetHandleByIndex(0)
    return pynvml.nvmlDeviceGetClockInfo(h, pynvml.NVML_CLOCK_SM), pynvml.nvmlDeviceGetPowerUsage(h) / 1000
for job in cfg['jobs']:
    shape = job['shape'] if isinstance(job['shape'], list) else [job['shape']] * 3
    s = Size(shape); M, N, K = shape; flops = 2.0 * M * N * K
    todo = [v for v in variants if v.takes(shape) and v.name not in bad and re.search(job.get('match', '.'), v.name)]
    graphs = {}; err = {}
    for kind in sorted({v.kind for v in todo}):
        cublas(kind, s); torch.cuda.synchronize(); e = s.error(kind); err[kind] = e
        cublas(kind, s); a = torch.cuda.Event(enable_timing=True); b = torch.cuda.Event(enable_timing=True)
        a.record(); cublas(kind, s); b.record(); b.synchronize()
        n = max(job.get('least', 2), math.ceil(0.6 / a.elapsed_time(b)))
        graphs[kind] = (graph(lambda: cublas(kind, s), n), n)
    good = []
    for v in todo:
        try:
            C = s.arrays(v.kind)[2]; C.fill_(float('nan')); v.prepare(s); v.launch(); finish(v.name)
            e = s.error(v.kind); first = C.clone(); worst = 0
            if v.kind == 'f32':  # every FP32 stage adds up an element's products in the order of k, with FMAs
                s.bits = getattr(s, 'bits', None) or (v.name, first)
                v.same = s.bits[0] if torch.equal(first, s.bits[1]) else ''
            for _ in range(job.get('stress', 3)):
                C.fill_(float('nan')); v.launch()
                if not torch.equal(C, first): worst += 1
            finish(v.name)
            v.err, v.differ = e, worst
            if not e[0] < {'f32': 2e-6, 'tf32': 1e-3, 'bf16': 3e-3}[v.kind]: print('WRONG', v.name, shape, e, flush=True); continue
            n = graphs[v.kind][1]; v.graph = None if job.get('check_only') else graph(v.launch, n); v.n = n; good.append(v)
        except Exception as x: print('FAIL', v.name, shape, x, flush=True)
    if job.get('check_only'):
        for v in good: print('checked', shape, v.name, v.err, 'differ', v.differ, 'bit for bit', v.__dict__.get('same'), flush=True)
        continue
    times = {v.name: ([], []) for v in good}
    sleep = job.get('sleep', 0.008)
    for v in good: window(v.graph, v.n, 0)
    for r in range(job.get('rounds', 5)):
        for v in good:
            g, n = graphs[v.kind]
            times[v.name][1].append(window(g, n, sleep)); times[v.name][0].append(window(v.graph, v.n, sleep))
    for v in good:
        o, c = times[v.name]; ratio = statistics.median(y / x for x, y in zip(o, c))
        rows.append(dict(shape=shape, name=v.name, mode='cool', us=statistics.median(o) * 1e6, tf=flops / statistics.median(o) / 1e12,
            cublas=flops / statistics.median(c) / 1e12, paired=100 * ratio, err=v.err, cublas_err=err[v.kind], differ=v.differ, low=100*min(y/x for x,y in zip(o,c)), high=100*max(y/x for x,y in zip(o,c))))
    for name in job.get('hot', []):
        for v in good:
            if not re.fullmatch(name, v.name): continue
            g, n = graphs[v.kind]; pairs = []
            for r in range(job.get('hot_rounds', 5)):
                t = []
                for gg in (g, v.graph):
                    e0, e1 = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                    one_t = times[v.name][0][0] * n; reps = max(1, round(0.030 / one_t))
                    for _ in range(reps): gg.replay()
                    e0.record()
                    for _ in range(reps): gg.replay()
                    e1.record()
                    time.sleep(0.045); ck = clock()
                    e1.synchronize(); t.append((e0.elapsed_time(e1) / reps / n * 1e-3, ck))
                pairs.append(t)
            o = [p[1][0] for p in pairs]; c = [p[0][0] for p in pairs]
            rows.append(dict(shape=shape, name=v.name, mode='hot', us=statistics.median(o) * 1e6, tf=flops / statistics.median(o) / 1e12,
                cublas=flops / statistics.median(c) / 1e12, paired=100 * statistics.median(y / x for x, y in zip(o, c)), err=v.err, cublas_err=err[v.kind], differ=v.differ,
                clock=[p[1][1] for p in pairs], cublas_clock=[p[0][1] for p in pairs]))
    del s; graphs = {}
    for v in good: v.graph = None
    torch.cuda.empty_cache()
    json.dump(rows, open(os.path.join(out, cfg.get('label', 'rows') + '.json'), 'w'))
for r in rows:
    extra = f" clk {r['clock'][-1]} cublas {r['cublas_clock'][-1]}" if 'clock' in r else ''
    print(f"{'x'.join(map(str, r['shape'])) if len(set(r['shape'])) > 1 else r['shape'][0]:>14} {r['name']:<34} {r['mode']:<4} {r['us']:9.1f} us {r['tf']:7.2f} cublas {r['cublas']:7.2f}  {r['paired']:6.1f} %  err {r['err'][0]:.2e} ({r['cublas_err'][0]:.2e}) differ {r['differ']}{extra}")
os.system('nvidia-smi --query-gpu=clocks.sm,power.draw,temperature.gpu --format=csv,noheader')
