"""Packs what the page loads: pack.py SOURCE-TREE FOLDER.

first.pack.gz is what the first frame needs, rest.pack.gz the PTX that ships. A pack is the length of its list as four
bytes, the list as JSON ([name, bytes] each), and the files one after another.
"""
import gzip
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

source, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
FONTS = {'text.otf': 'opentype/inter/Inter-Regular.otf', 'bold.otf': 'opentype/inter/Inter-SemiBold.otf',
         'mono.ttf': 'truetype/jetbrains-mono/JetBrainsMono-Regular.ttf', 'symbols.ttf': 'truetype/dejavu/DejaVuSans.ttf',
         'chinese.otf': 'opentype/noto/NotoSansCJK-Regular.ttc'}
CHINESE_FACE = 2  # Of the collection: simplified.


def files_of(*patterns):
    return sorted(path for pattern in patterns for path in source.glob(pattern) if path.is_file())


def characters():
    """Every character that may be shown: of all texts, and what keyboards of Latin letters type."""
    found = {chr(code) for first, last in ((0x20, 0x7e), (0xa0, 0x17f), (0x370, 0x3ff), (0x2010, 0x22ff), (0x25a0, 0x27bf))
             for code in range(first, last + 1)}
    for path in files_of('lessons/**/*', 'assets/words/*', 'kernels/*', 'assets/*.toml', 'app/**/*.cpp', 'app/**/*.h'):
        found |= set(path.read_text(errors='ignore'))
    return ''.join(sorted(found))


def fonts():
    with tempfile.TemporaryDirectory() as work:
        text = pathlib.Path(work) / 'text'
        text.write_text(characters())
        for name, file in FONTS.items():
            face = ['--font-number=%d' % CHINESE_FACE] if file.endswith('.ttc') else []
            if face:
                text.write_text(''.join(c for c in characters() if ord(c) >= 0x2e80))
            made = pathlib.Path(work) / name
            subprocess.run(['/usr/bin/python3', '-m', 'fontTools.subset', '/usr/share/fonts/' + file, *face, f'--text-file={text}',
                            f'--output-file={made}', '--no-hinting', '--desubroutinize', '--layout-features='], check=True)
            yield 'fonts/' + name, made.read_bytes()


def write(name, files):
    files = list(files)
    listed = json.dumps([[path, len(content)] for path, content in files]).encode()
    content = struct.pack('<I', len(listed)) + listed + b''.join(content for _, content in files)
    (folder / name).write_bytes(gzip.compress(content, 9, mtime=0))


def named(paths):
    return [(str(path.relative_to(source)), path.read_bytes()) for path in paths]


folder.mkdir(parents=True, exist_ok=True)
write('first.pack.gz', [*named(files_of('kernels/*.cu', 'kernels/*.toml', 'kernels/*.h', 'kernels/*.cuh', 'lessons/**/*', 'assets/words/*',
                                        'assets/recordings/**/*', 'assets/*.toml')), *fonts()])
write('rest.pack.gz', named(files_of('assets/prebuilt/*')))
