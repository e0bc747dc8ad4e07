"""The transform of the program that is given, against numpy's, for several lengths."""
import subprocess
import sys

import numpy

random = numpy.random.default_rng(1)
for n in (1, 2, 3, 8, 100, 1021, 1024, 4000, 10007):
    x = random.standard_normal(n) + 1j * random.standard_normal(n)
    text = "%d\n" % n + "".join("%.17g %.17g\n" % (z.real, z.imag) for z in x)
    out = subprocess.run([sys.argv[1], "filter"], input=text, capture_output=True, text=True,
                         check=True).stdout
    parts = numpy.array([[float(w) for w in line.split()] for line in out.splitlines()])
    expected = numpy.fft.fft(x)
    off = abs(parts[:, 0] + 1j * parts[:, 1] - expected).max() / numpy.linalg.norm(x)
    if not off < 2e-14:
        sys.exit("length %d: off by %.3g" % (n, off))
