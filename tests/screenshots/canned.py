"""Answers of a server on which much has happened: what pictures of the app are taken of."""

import json
import time

GB = 10**9
NOW = int(time.time())


def model(repo_id, size, tps, *, serving=False, fits=True, supported=True, bits=4, vision=False):
    return {
        "repo_id": repo_id,
        "commit": "0" * 40,
        "path": f"/models/{repo_id}",
        "model_type": repo_id.partition("/")[2].split("-")[0].lower(),
        "architecture": "ForCausalLM",
        "quant_bits": bits,
        "vision": vision,
        "size_bytes": int(size * GB),
        "supported": supported,
        "serving": serving,
        "assessment": {
            "fits": fits,
            "max_safe_context": 131072 if fits else 0,
            "predicted_decode_tps": tps,
        }
        if supported
        else None,
    }


LIBRARY = {
    "models": [
        model("mlx-community/Qwen3-4B-Instruct-2507-4bit", 2.3, 61.0, serving=True),
        model("mlx-community/gemma-3-27b-it-qat-4bit", 16.8, 7.4, vision=True),
        model(
            "mlx-community/Mistral-Small-3.2-24B-Instruct-2506-4bit-a-rather-long-name", 13.3, 14.2
        ),
        model("mlx-community/Qwen3-235B-A22B-Instruct-2507-4bit", 132.0, 0, fits=False),
        model("mlx-community/whisper-large-v3-turbo", 1.6, 0, supported=False, bits=None),
    ],
    "skipped": [],
}
DOWNLOADS = {
    "downloads": [
        {
            "repo_id": "mlx-community/Qwen3-30B-A3B-Instruct-2507-4bit",
            "state": "active",
            "current_file": "model-00002-of-00004.safetensors",
            "received_bytes": 7 * GB,
            "total_bytes": 17 * GB,
            "files_done": 5,
            "files_total": 12,
            "bytes_per_sec": 48_000_000,
            "error": None,
        },
        {
            "repo_id": "mlx-community/a-gated-model",
            "state": "error",
            "current_file": None,
            "received_bytes": 0,
            "total_bytes": GB,
            "files_done": 0,
            "files_total": 3,
            "bytes_per_sec": 0,
            "error": "This repo is gated: accept its terms on the Hub, then save a token here.",
        },
    ]
}
SEARCH = {
    "ok": True,
    "offline": False,
    "results": [
        {"id": "mlx-community/Qwen3-8B-4bit", "downloads": 48211, "likes": 96},
        {
            "id": "mlx-community/Qwen3-14B-4bit-DWQ-053125-a-long-name",
            "downloads": 9120,
            "likes": 21,
        },
    ],
}
ADAPTERS = {
    "adapters": [
        {"rank": 8, "scale": 20.0, "compatible": True, **each}
        for each in (
            {"id": "support-tone", "path": "/a/1", "base_model": "Qwen3-4B", "mounted": True},
            {
                "id": "legal-summaries-2026",
                "path": "/a/2",
                "base_model": "Qwen3-4B",
                "mounted": True,
            },
            {
                "id": "an-adapter-of-another-model",
                "path": "/a/3",
                "base_model": "mlx-community/gemma-3-27b-it-qat-4bit",
                "mounted": False,
                "compatible": False,
            },
        )
    ]
}
MOUNTED = {
    "adapters": [
        {"id": name, "size_bytes": 12_400_000, "ram_bytes": 24_800_000}
        for name in ("support-tone", "legal-summaries-2026")
    ]
}
ARTICLES = ["Ada_Lovelace", "Analytical_Engine", "Garden_Plan_2026", "Mountain_Hikes", "Sourdough"]
MEMORY = {
    "/api/memory/status": {
        "enabled": True,
        "status": {
            "root": "/home of the wiki",
            "exists": True,
            "articleCount": len(ARTICLES),
            "referenceCount": 2,
            "isGitRepo": True,
            "recentArticles": [{"article": "Garden_Plan_2026", "mtimeMs": (NOW - 7200) * 1000}],
        },
    },
    "/api/memory/list": {
        "articles": ARTICLES,
        "reference": ["Reference/Getting_started", "Reference/Sampling"],
    },
    "/api/memory/article": {
        "name": "Garden_Plan_2026",
        "content": "# Garden Plan 2026\n\nThe plan for the **south bed**, drawn up in"
        " [[Sourdough|March]] after the [[Mountain_Hikes]].\n\n## Beds\n\n"
        "| Bed | Plants | Sown |\n| --- | --- | --- |\n"
        "| South | Tomatoes, basil | 12 April |\n| North | Peas | 3 March |\n\n## Notes\n\n"
        "- Water in the morning\n- Ask [[Ada_Lovelace]] for seeds\n",
    },
    "/api/memory/links": {
        "outbound": ["Sourdough", "Mountain_Hikes", "Ada_Lovelace"],
        "inbound": ["Analytical_Engine"],
    },
    "/api/memory/history": {
        "isGitRepo": True,
        "entries": [
            {"hash": "a1b2c3d4e5", "date": "2026-04-12", "subject": "Sow the south bed"},
            {"hash": "b2c3d4e5f6", "date": "2026-03-03", "subject": "Begin the plan"},
        ],
    },
    "/api/memory/diff": {
        "diff": "--- a/Garden.md\n+++ b/Garden.md\n@@ -1 +1 @@\n"
        "-| South | Peas |\n+| South | Tomatoes |",
    },
}
NO_MEMORY = {
    "ok": False,
    "enabled": False,
    "error": "no memory vault yet",
    "root": "~/.mlxsite/wiki",
}
GC = {
    "ok": True,
    "superseded": [
        {
            "repo_id": "mlx-community/Qwen3-4B-Instruct-2507-4bit",
            "prune_snapshots": 2,
            "skipped_snapshots": 1,
            "reclaim_bytes": 4_600_000_000,
        }
    ],
    "reclaim_bytes": 4_600_000_000,
}
LOG = [f"Iteration {n}: loss {3 / n:.3f}, 812 tokens a second" for n in range(1, 40)]
METRICS = [
    {
        "type": "metric",
        "kind": "val" if step % 50 == 0 else "train",
        "step": step,
        "loss": 0.6 + 2.2 / (1 + step / 40),
        "learning_rate": 2e-4,
        "tokens_per_sec": 812.0,
        "progress": step / 500,
    }
    for step in range(10, 320, 10)
]
RUNNING = [
    {"type": "started", "ts": 1},
    *({"type": "log", "line": line} for line in LOG),
    {"type": "stage", "stage": "work", "progress": 0.62, "message": "Layer 18 of 28"},
]
DONE = [
    *RUNNING,
    {
        "type": "stage",
        "stage": "save",
        "progress": 1.0,
        "message": "Saved",
        "n_train": 412,
        "n_valid": 46,
    },
    {
        "type": "done",
        "output_dir": "~/.cache/mlxsite/a-folder/with-a-rather-long-name-4bit",
        "summary": {"final_loss": 0.8421, "iterations": 500, "bits_per_weight": 4.51, "kl": 0.0123},
    },
]
FAILED = [
    *RUNNING,
    {"type": "failed", "error": "The model needs 21 GB, and 16 GB are free. Take a smaller one."},
]


def stream(events):
    """Events of a job, as the server would send them."""
    return (
        "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "event: end\ndata: {}\n\n"
    )


_ANSWER = """Sort them by their start; then one pass is enough:

```python
def merge(intervals):
    merged = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
```

| Step | Cost |
| --- | --- |
| Sorting | $O(n \\log n)$ |
| Merging | $O(n)$ |

Intervals that only **touch** are merged as well. Take `<` for `<=` to keep them apart.
"""
_TITLES = ["Merge overlapping intervals", "A weekend in the mountains", "Letter to the landlord"]
CONVERSATION = [
    {
        "type": "sessions",
        "items": [
            {
                "path": f"{number}.jsonl",
                "title": title,
                "modified": (NOW - 60 - 90_000 * number) * 1000,
                "messageCount": 2 + 4 * number,
                "forked": False,
                "pinned": number == 1,
            }
            for number, title in enumerate(_TITLES)
        ],
        "activePath": "0.jsonl",
    },
    {
        "type": "history",
        "items": [
            {
                "role": "user",
                "entryId": "1",
                "text": "Write a Python function that merges overlapping intervals.",
            },
            {
                "role": "assistant",
                "entryId": "2",
                "parts": [
                    {"type": "thinking", "text": "Sorting first makes it one pass."},
                    {"type": "text", "text": _ANSWER},
                ],
                "usage": {"prompt_tokens": 512, "completion_tokens": 186, "cached_tokens": 448},
                "lane": "batched",
            },
        ],
    },
    {"type": "context", "tokens": 698, "contextWindow": 32768, "percent": 2.1},
]
