"""Threads, forks, signals and progress."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import netinfof

#: Takes some seconds.
LARGE = "synth:large?nodes=60000&degree=20"


def test_another_thread_runs_meanwhile() -> None:
    """The lock of the interpreter is free: while one thread probes, another counts nearly as fast as alone."""
    graph = netinfof.Graph.of("synth:large?nodes=20000&degree=10")
    ticks: list[float] = []
    stop = threading.Event()

    def tick() -> None:
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    other = threading.Thread(target=tick)
    other.start()
    start = time.perf_counter()
    netinfof.probe(graph, n_jobs=1, dim=32, splits=1)
    took = time.perf_counter() - start
    stop.set()
    other.join()
    assert took > 0.2
    # Were the lock held, the other thread would stand still for as long as the probe takes.
    assert max(np.diff(ticks)) < 0.5 * took and len(ticks) > 50 * took


@pytest.mark.parametrize("work", ["probe(graph)", "act(graph)", "NetInfoFEmbedding().fit(graph)", "Graph.of('synth:large?nodes=3000000&degree=20')"])
def test_ctrl_c_within_a_second(work: str) -> None:
    """A real process, a real SIGINT, while it is at work."""
    script = f"""
        import netinfof, time, sys
        graph = netinfof.Graph.of({LARGE!r})
        print("ready", flush=True)
        try:
            netinfof.{work}
        except KeyboardInterrupt:
            print("stopped", flush=True)
            # The interpreter lives on.
            netinfof.probe("synth:demo", dim=8)
            print("alive", flush=True)
            sys.exit(7)
    """
    child = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.7)
    assert child.poll() is None, "too fast to be interrupted"
    child.send_signal(signal.SIGINT)
    start = time.perf_counter()
    assert child.stdout.readline() == "stopped\n"
    assert time.perf_counter() - start < 1
    assert child.stdout.readline() == "alive\n"
    assert child.wait(60) == 7


def test_progress_is_told_and_can_stop() -> None:
    told: list[tuple[str, int, int]] = []
    netinfof.probe("synth:demo", dim=8, progress=lambda *step: told.append(step))
    assert {"components"} <= {stage for stage, _, _ in told}
    assert all(0 <= done <= total for _, done, total in told)

    def refuse(stage: str, done: int, total: int) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        netinfof.probe("synth:demo", dim=8, progress=refuse)


def test_progress_as_a_bar(capsys: pytest.CaptureFixture[str]) -> None:
    netinfof.probe("synth:demo", dim=8, progress=True)
    assert "components" in capsys.readouterr().err


def test_progress_without_tqdm(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    netinfof.probe("synth:demo", dim=8, splits=1, progress=True)
    assert capsys.readouterr().err.splitlines().count("netinfof: components") == 1


def test_what_the_command_would_note_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "e.csv").write_text("a,b,1.5\nb,c,2.5\n")
    with pytest.warns(UserWarning, match="column 3 is not used"):
        netinfof.Graph.of(tmp_path / "e.csv")


def test_without_scipy(monkeypatch: pytest.MonkeyPatch, demo: netinfof.Graph) -> None:
    import pickle

    monkeypatch.setitem(sys.modules, "scipy.sparse", None)
    graph = netinfof.Graph.of("synth:demo")
    assert isinstance(graph.x, np.ndarray) and graph.x.shape == (1200, 400)
    model = pickle.loads(pickle.dumps(netinfof.NodeClassifier(dim=8).fit(graph, graph.y)))
    assert model.predict().shape == (1200,)


def test_many_threads_at_once() -> None:
    graph = netinfof.Graph.of("synth:demo")
    model = netinfof.LinkPredictor(dim=16).fit(graph)

    def work(seed: int) -> Any:
        model.predict_proba([(0, 1)])
        return netinfof.probe(graph, dim=16, random_state=seed % 2).scores["score"]

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(work, range(16)))
    assert all(found[at] == found[at % 2] for at in range(16)) and found[0] != found[1]


def _forked(seed: int) -> Any:
    return netinfof.probe("synth:demo", dim=8, random_state=seed).scores["score"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_forks_after_work() -> None:
    here = _forked(0)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(_forked, [0, 0, 1])[:2] == [here, here]


def test_import_is_light() -> None:
    """Nothing heavy is imported before it is needed, and none of the foreign packages ever."""
    script = """
        import sys, netinfof
        netinfof.probe("synth:demo", dim=8)
        heavy = {"numpy", "scipy", "sklearn", "pandas", "polars", "torch", "networkx", "matplotlib", "tqdm"} & set(sys.modules)
        assert not heavy, heavy
        netinfof.NodeClassifier(dim=8).fit("synth:demo").predict()
        heavy = {"sklearn", "pandas", "polars", "torch", "networkx", "matplotlib", "tqdm"} & set(sys.modules)
        assert not heavy, heavy
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=True)


def test_the_command(command: str) -> None:
    done = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"netinfof {netinfof.__version__}"
    done = subprocess.run([sys.executable, "-m", "netinfof", "inspect", "nowhere.csv"], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stderr.startswith("error: nowhere.csv: no such file")
    done = subprocess.run([command, "reproduce", "--all"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.strip() == "error: reproduce is not part of the Python package; install the command with cargo"


def test_a_gigabyte_of_features_is_not_copied() -> None:
    """Peak memory of a process of its own: the array, and next to nothing more."""
    script = """
        import resource, sys, numpy as np, netinfof

        def peak():
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)

        nodes, width = 250_000, 1024
        x = np.ones((nodes, width), np.float32)
        edges = np.stack([np.arange(nodes - 1), np.arange(1, nodes)])
        before = peak()
        graph = netinfof.Graph(edges, x)
        assert np.shares_memory(graph.x, x) and x.nbytes >= 1_000_000_000
        print(x.nbytes, peak() - before)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=True, capture_output=True, text=True)
    size, more = map(int, done.stdout.split())
    assert more < size / 20, f"{more} bytes more for {size} bytes of features"


def test_modules_are_short() -> None:
    lengths = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in Path(netinfof.__file__).parent.glob("*.py")}
    assert {name: length for name, length in lengths.items() if length > 600} == {}
