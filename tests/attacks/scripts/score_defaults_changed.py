# Tries: to make others' answers wrong and its own as wide as the reference: another default dtype and device, other
#   printing, rounding, threads and warnings, left so for the next.
# Stopped by: a child of its own for each submission; the grader makes its inputs and its reference itself.
# Score: HALF
# Process: yes
# Place: before
import locale
import random
import warnings

import numpy
import torch

torch.set_default_dtype(torch.float16)
torch.set_default_device("meta")
torch.set_flush_denormal(True)
torch.set_num_threads(3)
torch.set_printoptions(precision=1, sci_mode=True)
torch.use_deterministic_algorithms(False)
torch.set_float32_matmul_precision("medium")
torch.set_anomaly_enabled(True)
torch.manual_seed = numpy.random.seed = random.seed = lambda *arguments: None
numpy.seterr(all="raise")
numpy.set_printoptions(threshold=0)
warnings.simplefilter("error")
locale.setlocale(locale.LC_ALL, "C")
