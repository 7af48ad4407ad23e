"""The warm process: started when it is needed, shared by threads, not by forks, gone with the interpreter."""

import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from support import Case

import stallcast
from stallcast.server import WARM

HERE = os.path.dirname(os.path.abspath(__file__))


def run_python(code, **env):
    """Another interpreter, with the tests on its path."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=HERE, check=False,
                          env={**os.environ, **env}, timeout=60)


def _run(scenario):
    return scenario.run(draws=0)


def gone(pid):
    """Waits until there is no such process."""
    for _ in range(1000):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.01)
    return False


class WarmTest(Case):
    def test_one_process_answers_all_questions(self):
        s = self.small()
        s.run(draws=0)
        first = WARM.get().pid
        s.run(draws=0, seed=9)
        self.assertEqual(WARM.get().pid, first)

    def test_one_that_was_killed_is_started_again(self):
        s = self.small()
        before = s.run(draws=0)
        first = WARM.get()
        os.kill(first.pid, signal.SIGKILL)
        self.assertEqual(s.run(draws=0).data, before.data)
        self.assertNotEqual(WARM.get().pid, first.pid)
        self.assertIn("<iframe", before._repr_html_())  # whose process is gone

    def test_one_that_is_killed_while_it_answers_costs_no_answer(self):
        slow = self.small(run={"duration": "8 h", "fast_forward": False})
        killer = threading.Thread(target=lambda: (time.sleep(0.3), os.kill(WARM.get().pid, signal.SIGKILL)))
        WARM.get()
        killer.start()
        self.assertEqual(slow.run(draws=0, advice=False, replicas=1).jobs, ["train"])
        killer.join()

    def test_threads_ask_at_the_same_time(self):
        s = self.small()
        found = {}

        def ask(seed):
            found[seed] = s.copy({"run.seed": seed}).run(draws=0, advice=False)[
                "job.train.step.time"]

        threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(1, 13)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(found), 12)
        self.assertEqual(found[7], s.run(draws=0, advice=False, seed=7)["job.train.step.time"])

    def test_a_fork_has_a_process_of_its_own_and_leaves_its_parents(self):
        s = self.small()
        here = s.run(draws=0)["job.train.step.time"]
        server = WARM.get()
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            code = 1
            try:
                there = s.run(draws=0)["job.train.step.time"]
                os.write(writing, f"{there!r} {WARM.get().pid}".encode())
                code = 0
            finally:
                os._exit(code)  # as multiprocessing ends: without atexit
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            value, pid = pipe.read().split()
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(float(value), here)
        self.assertNotEqual(int(pid), server.pid)
        self.assertTrue(gone(int(pid)))
        self.assertTrue(server.alive())
        self.assertEqual(s.run(draws=0)["job.train.step.time"], here)

    def test_answers_go_to_other_processes_and_back(self):
        s = self.small()
        here = s.run(draws=0)
        for method in ("fork", "spawn"):
            with multiprocessing.get_context(method).Pool(2) as pool:
                there = pool.map(_run, [s, s.copy({"run.seed": 3})])
            self.assertEqual(there[0].data, here.data)
            self.assertEqual(there[1].data["seeds"][0], 3)
            self.assertIn("<iframe", there[0]._repr_html_())

    def test_it_ends_with_the_interpreter_however_that_ends(self):
        start = ("from support import SMALL; import stallcast, os, sys\n"
                 "from stallcast.server import WARM\n"
                 "stallcast.from_dict(SMALL); print(WARM.get().pid, flush=True)\n")
        for end in ("", "os._exit(0)", "os.kill(os.getpid(), 9)", "raise SystemExit(3)"):
            done = run_python(start + end)
            self.assertTrue(gone(int(done.stdout)), end + done.stderr)

    def test_nobody_else_may_ask_it(self):
        import http.client
        server = WARM.get()
        connection = http.client.HTTPConnection("127.0.0.1", server._port, timeout=10)
        connection.request("GET", "/v1/schema")
        self.assertEqual(connection.getresponse().status, 401)
        connection.close()
        with open(f"/proc/{server.pid}/cmdline", "rb") as file:
            self.assertNotIn(server._token.encode(), file.read())

    def test_without_it_each_question_is_a_call_of_the_program(self):
        done = run_python("from support import SMALL; import stallcast\nfrom stallcast.server import WARM\n"
                          "print(stallcast.from_dict(SMALL).run(draws=0).verdict, WARM.get())", STALLCAST_SERVER="off")
        self.assertEqual(done.stdout, "fail None\n", done.stderr)

    def test_interrupting_a_question_ends_it(self):
        code = ("from support import SMALL; import stallcast, threading, time, signal, os\n"
                "from stallcast.server import WARM\n"
                "s = stallcast.from_dict({**SMALL, 'run': {'duration': '3650 d', 'fast_forward': False}})\n"
                "def ask(way):\n"
                "    stallcast.use_server(way)\n"
                "    try:\n"
                "        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
                "        signal.pthread_sigmask(how, {signal.SIGINT})\n"
                "        s.run(draws=0, advice=False)\n"
                "    except KeyboardInterrupt:\n"
                "        print('interrupted', WARM.get() is not None)\n"
                "    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})\n"
                # Where the thread that waits does not take the signal, as where it comes just before the wait,
                # no call of the system is interrupted.
                "for how in (signal.SIG_UNBLOCK, signal.SIG_BLOCK):\n"
                "    ask(True)\n"
                "    ask(False)\n")
        done = run_python(code)
        self.assertEqual(done.stdout, 2 * "interrupted True\ninterrupted False\n", done.stderr)


class TimeLimitTest(Case):
    def test_what_is_not_done_in_time_is_inconclusive(self):
        slow = self.small(run={"duration": "3650 d", "fast_forward": False})
        for way in (True, False):
            stallcast.use_server(way)
            with self.assertRaises(stallcast.InconclusiveError) as caught:
                slow.run(draws=0, advice=False, time_limit=1)
            self.assertEqual(caught.exception.exit_code, 3)


class ProgramTest(Case):
    def test_a_missing_program_is_said_with_where_it_was_looked_for(self):
        code = "import sys; sys.path.insert(0, {!r}); import stallcast; stallcast.init()"
        with tempfile.TemporaryDirectory() as folder:
            package = os.path.join(folder, "stallcast")
            os.symlink(os.path.join(os.path.dirname(HERE), "stallcast"), os.path.join(folder, "linked"))
            import shutil
            shutil.copytree(os.path.join(os.path.dirname(HERE), "stallcast"), package,
                            ignore=shutil.ignore_patterns("__pycache__"))
            done = run_python(code.format(folder), PATH="/nonexistent", STALLCAST="")
            self.assertIn("ProgramNotFoundError", done.stderr)
            self.assertIn(os.path.join(package, "bin", "stallcast"), done.stderr)
            done = run_python(code.format(folder), STALLCAST="/no/stallcast")
            self.assertIn("$STALLCAST is '/no/stallcast'", done.stderr)
            os.mkdir(os.path.join(package, "bin"))
            os.symlink(stallcast.find_program(), os.path.join(package, "bin", "stallcast"))
            done = run_python(code.format(folder), PATH="/nonexistent", STALLCAST="")
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_program_that_cannot_serve_is_called_instead(self):
        with tempfile.TemporaryDirectory() as folder:
            old = os.path.join(folder, "stallcast")
            with open(old, "w", encoding="utf-8") as file:
                file.write(f'#!/bin/sh\n[ "$1" = serve ] && exit 2\nexec {stallcast.find_program()} "$@"\n')
            os.chmod(old, 0o755)
            done = run_python("from support import SMALL; import stallcast\n"
                              "print(stallcast.from_dict(SMALL).run(draws=0).verdict)", STALLCAST=old)
        self.assertEqual(done.stdout, "fail\n", done.stderr)

    def test_a_crash_is_an_internal_error(self):
        with tempfile.TemporaryDirectory() as folder:
            broken = os.path.join(folder, "stallcast")
            with open(broken, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\nkill -SEGV $$\n")
            os.chmod(broken, 0o755)
            done = run_python("from support import SMALL; import stallcast\n"
                              "try: stallcast.from_dict(SMALL)\n"
                              "except stallcast.InternalError as e: print(e.exit_code, e)", STALLCAST=broken)
        self.assertIn("4 stallcast was ended by signal 11", done.stdout, done.stderr)


if __name__ == "__main__":
    unittest.main()
