"""What strangers try on a server, and what it answers: the table of docs/reliability.md, row by row.

Usage: serve_attacks_test.py PATH_OF_STALLCAST [unittest options].

After each attack the server answers as before, and after all of them it has not grown.
"""

import json
import os
import pathlib
import re
import resource
import socket
import threading
import time
import unittest

import program
from server import KEEPS_LITTLE, SCENARIO, SLOW, RawBytes, Server

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "reliability.md"
TOKEN = "0123456789abcdef0123456789abcdef"


def status_of(answer):
    return int(answer[9:12]) if answer.startswith(b"HTTP/1.1 ") else None


class Attacked(RawBytes, unittest.TestCase):
    ENDS = True
    OPTIONS, ENV = (), {}
    GROWTH = 64_000  # kB: what allocators keep after 64 MB of requests were held at once

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.OPTIONS, env={**KEEPS_LITTLE, **cls.ENV}).__enter__()
        cls.addClassCleanup(cls.server.__exit__)
        for _ in range(20):
            cls.server.post("/v1/estimate")
        cls.before = cls.server.resident()

    @classmethod
    def tearDownClass(cls):
        assert cls.server.resident() - cls.before < cls.GROWTH, f"{cls.before} kB before, {cls.server.resident()} kB after"

    def tearDown(self):
        self.assertIsNone(self.server.process.poll(), "the server ended")
        self.assertIn(self.server.post("/v1/estimate").status, (200, 401))

    def get(self, target, *headers):
        lines = [b"GET " + target + b" HTTP/1.1", b"Host: localhost", b"Connection: close", *headers]
        return self.raw(b"\r\n".join(lines) + b"\r\n\r\n")

    def figure(self, name):
        return float(re.search(rf"^{name} (\S+)$", self.server.get("/metrics").text, re.M)[1])


class Messages(Attacked):
    def test_slow_headers_and_bodies(self):
        dribbled = {}
        for head in (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ",
                     b"POST /v1/lint HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"):
            for _ in range(20):
                connection = self.connect()
                connection.sendall(head)
                connection.setblocking(False)
                dribbled[connection] = None
        until = time.monotonic() + 60
        while any(v is None for v in dribbled.values()) and time.monotonic() < until:
            for connection in [c for c, answer in dribbled.items() if answer is None]:
                try:
                    connection.send(b"a")
                    dribbled[connection] = connection.recv(4096)
                except BlockingIOError:
                    pass
                except OSError:
                    dribbled[connection] = b""
            self.assertEqual(self.server.post("/v1/estimate").status, 200)
            time.sleep(0.2)
        self.assertEqual({status_of(answer) for answer in dribbled.values()}, {408})

    def test_ten_thousand_connections(self):
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        opened = []
        for i in range(min(10_000, most - 200)):
            opened.append(socket.create_connection(("127.0.0.1", self.server.port), timeout=60))
            if i % 1000 == 0:
                self.assertEqual(self.server.post("/v1/estimate").status, 200)
        self.assertEqual(self.server.post("/v1/estimate").status, 200)
        self.assertLessEqual(self.figure("stallcast_connections"), 2001)
        for connection in opened:
            connection.close()

    def test_bodies_that_are_too_large(self):
        head = b"POST /v1/lint HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
        for size in (1_000_001, 10**12, 10**30):
            self.assertEqual(status_of(self.raw(head % size)), 413, size)
        self.assertEqual(status_of(self.raw(head % 10**9, b" " * 3_000_000)), 413)

    def test_unfinished_bodies_of_many(self):
        held = []
        for _ in range(90):
            connection = self.connect()
            connection.settimeout(30)
            held.append(connection)
            try:
                connection.sendall(b"POST /v1/lint HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n" +
                                   b" " * 999_999)
            except OSError:
                pass
        refused = 0
        for connection in held:
            try:
                refused += status_of(connection.recv(4096)) in (408, 503)
            except OSError:
                refused += 1
            connection.close()
        self.assertEqual(refused, len(held))

    def test_two_lengths_and_transfer_encodings(self):
        post = b"POST /v1/lint HTTP/1.1\r\nHost: localhost\r\n"
        hidden = b"GET /v1/catalog HTTP/1.1\r\nHost: localhost\r\n\r\n"
        for headers in (b"Content-Length: 2\r\nContent-Length: 3\r\n", b"Content-Length: 2,3\r\n",
                        b"Content-Length: +2\r\n", b"Content-Length: 0x2\r\n", b"Content-Length : 2\r\n",
                        b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", b"Transfer-Encoding: chunked\r\n",
                        b"transfer-encoding:\tchunked\r\n", b"Transfer-Encoding: xchunked\r\n",
                        b"Transfer-Encoding: identity\r\n", b"X: y\r\n Transfer-Encoding: chunked\r\n",
                        b"X: y\nTransfer-Encoding: chunked\r\n", b"X: y\rContent-Length: 9\r\n",
                        b"X\0: y\r\n", b"Content-Encoding: gzip\r\nContent-Length: 2\r\n"):
            answer = self.raw(post + headers + b"\r\n" + b"0\r\n\r\n" + hidden)
            self.assertIn(status_of(answer), (400, 411, 415), headers)
            # What comes after a message that can be read in two ways is not looked at.
            self.assertEqual(answer.count(b"HTTP/1.1 "), 1, headers)

    def test_line_ends_in_what_is_echoed(self):
        for target in (b"/v1/runs/%0d%0aX-Evil:%201", b"/%0d%0aX-Evil:%201", b"/v1/schema?a=%0d%0aX-Evil:%201"):
            answer = self.get(target)
            self.assertIn(status_of(answer), (200, 400, 404), target)
            self.assertNotIn(b"\nX-Evil", answer)
        for query in ("name=%0d%0aX-Evil:1", "name=a%00b", "name=../../etc/passwd"):
            self.assertEqual(self.server.post("/v1/runs?" + query).status, 400, query)
        for key in (b"a\rX-Evil: 1", b"a\nX-Evil: 1", b"a\0b"):
            answer = self.raw(b"POST /v1/runs HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: " + key +
                              b"\r\nContent-Length: 2\r\n\r\n{}")
            self.assertEqual(status_of(answer), 400, key)
            self.assertNotIn(b"\nX-Evil", answer)

    def test_bytes_that_are_no_utf8(self):
        for body in (b"\xff\xfe", b'{"id": "\xc3\x28"}', b'{"\xed\xa0\x80": 1}', b'{"id": "\\ud800"}', b"\0" * 1000):
            for route in ("/v1/estimate", "/v1/runs", "/v1/diff", "/v1/compare", "/v1/check"):
                answer = self.server.post(route, body)
                self.assertEqual(answer.status, 422, (route, body))
                json.loads(answer.text)
        for query in ("set=%ff=%fe", "variant=%c3%28", "set=%00", "set=%", "name=%ff"):
            self.assertIn(self.server.post("/v1/estimate?" + query).status, (400, 422), query)

    def test_methods_that_no_route_has(self):
        for method in (b"TRACE", b"CONNECT", b"PUT", b"PATCH", b"OPTIONS", b"PROPFIND", b"get", b"A" * 17):
            answer = self.raw(method + b" /v1/schema HTTP/1.1\r\nHost: localhost\r\nX-Canary: sung\r\n"
                              b"Connection: close\r\n\r\n")
            self.assertIn(status_of(answer), (400, 405), method)
            self.assertNotIn(b"sung", answer)

    def test_paths_that_climb(self):
        for path in (b"/../../etc/passwd", b"/..%2f..%2fetc%2fpasswd", b"/%2e%2e/%2e%2e/etc/passwd", b"//etc/passwd",
                     b"/%00/etc/passwd", b"/page.js%00", b"/page.js/../../etc/passwd", b"/v1/runs/..%2f..%2fx/result",
                     b"/v1/runs/%2fetc%2fpasswd/report.html", b"/v1/schema/..", b"/..\\..\\etc\\passwd",
                     b"/file:///etc/passwd"):
            answer = self.get(path)
            self.assertEqual(status_of(answer), 404, path)
            self.assertNotIn(b"root:", answer)
        self.assertEqual(status_of(self.raw(b"GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n")), 400)

    def test_other_names_and_other_origins(self):
        for host in (b"evil.example", b"localhost.evil.example", b"127.evil.example", b"[::1].evil.example",
                     b"evil.example:8080", b"[", b"[]", b"[]evil.example", b":8080"):
            answer = self.raw(b"GET /v1/schema HTTP/1.1\r\nHost: " + host + b"\r\nConnection: close\r\n\r\n")
            self.assertEqual(status_of(answer), 403, host)
        two = self.raw(b"GET /v1/schema HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n")
        self.assertEqual(status_of(two), 400)
        own = f"http://localhost:{self.server.port}"
        for origin in ("http://evil.example", "null", own + ".evil.example", "http://localhost:1"):
            for method, path in (("POST", "/v1/runs"), ("GET", "/v1/catalog"), ("OPTIONS", "/v1/runs")):
                answer = self.server.ask(method, path, SCENARIO, {
                    "Host": f"localhost:{self.server.port}", "Origin": origin,
                    "Access-Control-Request-Method": "POST"})
                self.assertIn(answer.status, (403, 405), (origin, path))
                self.assertEqual([h for h in answer.headers if h.startswith("access-control")], [])


class Scenarios(Attacked):
    def test_nesting_a_hundred_thousand_deep(self):
        for deep in ("[" * 100_000, '{"a":' * 100_000, "[" * 100_000 + "]" * 100_000):
            for route, body in (("/v1/estimate", deep), ("/v1/runs", '{"jobs": ' + deep), ("/v1/diff", deep),
                                ("/v1/check", json.dumps({"scenario": SCENARIO, "baseline": deep})),
                                ("/v1/compare", '{"designs": ' + deep)):
                self.assertEqual(self.server.post(route, body).status, 422, route)
        self.assertEqual(self.server.post("/v1/estimate?set=" + "storage." * 400 + "=1").status, 422)
        expression = "=" + "(" * 50_000 + "1" + ")" * 50_000
        self.assertEqual(self.server.post("/v1/estimate", SCENARIO.replace('"count": 4, "use"',
                                                                           f'"count": "{expression}", "use"')).status, 422)

    def test_numbers_that_nothing_can_hold(self):
        for old, new in (('"count": 4, "use"', '"count": 1e18, "use"'), ('"count": 4, "use"', '"count": 1e999, "use"'),
                         ('"workers": 4', '"workers": 1e15'), ('"batch": 64', '"batch": 1e300'),
                         ('"size": "1 TB"', '"size": "1e300 TB"'),
                         ('"count": 4, "use"', '"count": "=9^9^9^9", "use"')):
            answer = self.server.post("/v1/estimate", SCENARIO.replace(old, new))
            self.assertEqual(answer.status, 422, (new, answer.text[:300]))
        parts = SCENARIO.replace('"jobs": [ ', '"jobs": [ ' + ", ".join(
            f'{{ "id": "j{i}" }}' for i in range(3000)) + ", ")
        self.assertEqual(self.server.post("/v1/estimate", parts).status, 422)

    def test_questions_without_end(self):
        path = "storage.scratch.ost.count"
        for route in (f"/v1/sweeps?vary={path}=1..1000000000:1000000000", f"/v1/sweeps?vary={path}=1..2000:1001",
                      f"/v1/sweeps?mode=sobol:1000000000&vary={path}=1..2000:2", "/v1/runs?replicas=1000000000", "/v1/runs?draws=1000000000",
                      "/v1/grow?until=1000000000mo&of=jobs.train.dataset.size=1%20%25/month",
                      "/v1/runs?seed=99999999999999999999999999", "/v1/runs?time_limit_s=-1"):
            answer = self.server.post(route)
            if answer.status == 202:  # it is found out while it is read for the run
                answer = self.server.run(route)
            self.assertIn(answer.status, (400, 422), (route, answer.text[:300]))
        nine = {f"d{i}": SCENARIO for i in range(9)}
        self.assertEqual(self.server.post("/v1/compare", json.dumps({"designs": nine})).status, 422)

    def test_files_and_addresses_in_a_scenario(self):
        folder = pathlib.Path(self.server.folder.name)
        secret = "storage-of-the-board"
        (folder / "secret.json").write_text(SCENARIO.replace("scratch", secret), encoding="utf-8")
        (folder / "secret.fio").write_text(f"[{secret}]\nrw=read\nbs=1m\n", encoding="utf-8")
        there, missing = str(folder / "secret"), str(folder / "nothing")

        def answers(name):
            extends = [name + ".json", f"file://{name}.json", [name + ".json"], "../" * 20 + name + ".json"]
            bodies = [SCENARIO.replace('"id": "served"', f'"id": "served", "extends": {json.dumps(e)}') for e in extends]
            for tenant in ({"type": "fio", "job_file": name + ".fio"}, {"type": "replay", "program": name + ".fio"}):
                tenant = json.dumps({"id": "t", "on": "scratch", **tenant})
                bodies.append(SCENARIO.replace('"run":', f'"tenants": [ {tenant} ],\n  "run":'))
            for body in bodies:
                for route in ("/v1/estimate", "/v1/runs", "/v1/resolve"):
                    answer = self.server.post(route, body)
                    self.assertEqual(answer.status, 422, (route, body, answer.text))
                    self.assertNotIn(secret, answer.text)
                    yield answer.text.replace(name, "NAME")
            for option in (f"extends={name}.json", f"tenants.0.program={name}"):
                answer = self.server.post("/v1/estimate?set=" + option)  # too late to extend anything
                self.assertIn(answer.status, (200, 422))
                self.assertNotIn(secret, answer.text)
                yield answer.text.replace(name, "NAME")

        # Nobody learns whether a file is there.
        self.assertEqual(list(answers(there)), list(answers(missing)))
        listening = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listening.close)
        listening.settimeout(0.2)
        for scheme in ("http", "https", "ftp"):
            body = SCENARIO.replace('"id": "served"',
                                    f'"extends": "{scheme}://127.0.0.1:{listening.getsockname()[1]}/x", "id": "s"')
            self.assertEqual(self.server.post("/v1/estimate", body).status, 422)
        for entry in ("catalog:../../etc/passwd", "catalog:", "catalog:/etc/passwd", "catalog:a%00b"):
            body = SCENARIO.replace('"id": "served"', f'"extends": "{entry}", "id": "s"')
            self.assertEqual(self.server.post("/v1/estimate", body).status, 422, entry)
        self.assertRaises(TimeoutError, listening.accept)  # nobody called

    def test_names_that_are_scripts(self):
        evil = "<img src=x onerror=alert(1)>"
        body = SCENARIO.replace('"served"', json.dumps(evil))
        made = self.server.post("/v1/runs?advice=false&draws=0", body)
        if made.status == 202:
            location = made.headers["location"]
            self.server.wait(location)
            page = self.server.get(location + "/report.html")
            self.assertNotIn("<img src=x", page.text)
            self.assertIn("sandbox", page.headers["content-security-policy"])
        else:
            self.assertEqual(made.status, 422)

    def test_patterns_that_take_for_ever(self):
        pattern = "job." + "*a" * 200 + "*b"
        body = SCENARIO.replace("job.train.gpu.utilization >= 50 %", f"max({pattern}) >= 50 %")
        for route in ("/v1/lint", "/v1/estimate"):
            self.assertIn(self.server.post(route, body).status, (200, 422))
        judged = json.dumps({"scenario": body, "baseline": None})
        self.assertIn(self.server.post("/v1/check?assert=" + pattern + "%3E1", judged).status, (202, 400, 422))


class Runs(Attacked):
    OPTIONS = ("--time-limit", "2 s")
    GROWTH = 64_000 + 128_000  # and what results that are kept may take

    def quick(self, i):
        return SCENARIO.replace('"200 ms"', f'"{200 + i} ms"').replace('"1 min"', '"5 s"')

    def test_more_results_than_are_kept(self):
        first = None
        for i in range(540):
            made = self.server.post("/v1/runs?advice=false&draws=0", self.quick(i))
            while made.status in (429, 503):
                time.sleep(0.05)
                made = self.server.post("/v1/runs?advice=false&draws=0", self.quick(i))
            self.assertIn(made.status, (200, 202), made.text)
            first = first or made.headers["location"]
        self.server.wait(made.headers["location"])
        self.assertLessEqual(self.figure("stallcast_results_kept"), 500)
        self.assertLessEqual(self.figure("stallcast_results_bytes"), 128 << 20)
        self.assertEqual(self.server.get(first).status, 404)

    def test_a_storm_of_cancels(self):
        faults = []

        def storm(seed):
            for i in range(25):
                made = self.server.post(f"/v1/runs?advice=false&seed={seed * 1000 + i}", SLOW)
                if made.status == 202:
                    ended = self.server.ask("DELETE", made.headers["location"])
                    if ended.status != 204:
                        faults.append(ended.status)
                elif made.status not in (429, 503):
                    faults.append(made.status)

        threads = [threading.Thread(target=storm, args=(n,)) for n in range(1, 5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(faults, [])
        self.assertEqual(self.server.run("/v1/runs?advice=false&draws=0", self.quick(2000)).status, 200)
        self.assertEqual(self.figure("stallcast_queue_depth"), 0)

    def test_keys_that_are_used_again(self):
        body, other = self.quick(3000), self.quick(3001)
        path = "/v1/runs?advice=false&draws=0"
        one = self.server.post(path, body, Idempotency_Key="k")
        self.assertEqual(self.server.post(path, body, Idempotency_Key="k").headers["location"], one.headers["location"])
        taken = self.server.post(path, other, Idempotency_Key="k")
        self.assertEqual(taken.status, 422)
        self.assertNotIn(one.headers["location"].rsplit("/", 1)[1], taken.text)
        self.assertEqual(self.server.post(path, body, Idempotency_Key="k" * 256).status, 400)
        self.server.wait(one.headers["location"])
        for i in range(1100):  # of one run: an asker pushes out own ids
            self.assertEqual(self.server.post(path, body, Idempotency_Key=f"key {i}").status, 200)
        self.assertEqual(self.server.get(one.headers["location"]).status, 404)

    def test_clients_that_leave_during_a_run(self):
        body = SLOW.encode()
        for i in range(12):
            connection = self.connect()
            connection.sendall(b"POST /v1/runs?advice=false&seed=%d HTTP/1.1\r\nHost: localhost\r\n"
                               b"Content-Length: %d\r\n\r\n" % (50_000 + i, len(body)) + body)
            if i % 2:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
            connection.close()
        # Their runs end by the time limit, and make room.
        until = time.monotonic() + 240
        made = self.server.post("/v1/runs?advice=false&draws=0", self.quick(4000))
        while made.status in (429, 503) and time.monotonic() < until:
            time.sleep(0.5)
            made = self.server.post("/v1/runs?advice=false&draws=0", self.quick(4000))
        self.assertIn(made.status, (200, 202))
        for _ in range(600):
            if self.server.get(made.headers["location"]).json["state"] == "done":
                break
            time.sleep(0.5)
        self.assertEqual(self.server.get(made.headers["location"] + "/result").status, 200)


class Queue(Attacked):
    """Runs that none of the tests waits for."""

    def test_more_runs_than_one_may_have(self):
        states = [self.server.post(f"/v1/runs?advice=false&seed={60_000 + i}", SLOW) for i in range(40)]
        self.assertEqual([s.status for s in states].count(202), 32)
        self.assertEqual({s.status for s in states[32:]}, {429})
        for made in states[:32]:
            self.assertEqual(self.server.ask("DELETE", made.headers["location"]).status, 204)


class Tokens(Attacked):
    ENV = {"STALLCAST_TOKEN": TOKEN}

    def test_guessed_tokens(self):
        guesses = [TOKEN[:-1] + "0", TOKEN[:-1], TOKEN + "0", "", "0" * 32, TOKEN.upper(), TOKEN + "\t" + TOKEN]
        with_each = [b"Authorization: Bearer " + g.encode() for g in guesses]
        with_each += [b"Authorization: Basic " + TOKEN.encode(), b"Authorization: " + TOKEN.encode(),
                      b"authorization: bearer" + TOKEN.encode()]
        held = []
        for header in with_each:
            connection = self.connect()
            connection.sendall(b"GET /v1/schema HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + header +
                               b"\r\n\r\n")
            held.append((header, connection))
        # Who has the token does not wait for those who guess.
        self.assertEqual(self.server.get("/v1/schema", Authorization="Bearer " + TOKEN).status, 200)
        for header, connection in held:
            self.assertEqual(status_of(connection.recv(4096)), 401, header)
        self.assertEqual(self.server.get("/v1/schema").status, 401)
        for path in ("/metrics", "/openapi.json", "/v1/runs/" + "0" * 32):
            self.assertEqual(self.server.get(path, Authorization="Bearer x").status, 401)
        query = self.server.get("/v1/schema?token=" + TOKEN)
        self.assertEqual(query.status, 401)

    def test_ids_that_are_guessed(self):
        mine = {"Authorization": "Bearer " + TOKEN}
        for guess in ("0" * 32, "f" * 32, "*", "%", "0", "0" * 33):
            for path in ("", "/result", "/report.html"):
                self.assertEqual(self.server.get(f"/v1/runs/{guess}{path}", **mine).status, 404, guess)


class Simulators(Attacked):
    """A simulation that goes wrong, whatever a design did to it."""

    ENV = {"STALLCAST_SIM_FAULT": "memory"}
    OPTIONS = ("--memory", "300")

    def test_memory_without_end(self):
        if program.sanitized():
            self.skipTest("the shadow memory of a sanitizer leaves no room for a limit")
        answer = self.server.run("/v1/runs?advice=false&draws=0")
        self.assertEqual(answer.status, 422)
        self.assertNotIn("/", answer.json["title"])
        self.assertIn("needs more memory", answer.json["detail"])
        self.assertIn("--memory", answer.json["hint"])


class Table(unittest.TestCase):
    def test_it_has_a_row_for_each_attack_and_no_other(self):
        section = PAGE.read_text(encoding="utf-8").split("## The server\n", 1)[1].split("\n## ", 1)[0]
        rows = re.findall(r"^\|.*\| `(test_\w+)` \|$", section, re.M)
        tests = [name for cls in (Messages, Scenarios, Runs, Queue, Tokens, Simulators)
                 for name in vars(cls) if name.startswith("test_")]
        self.assertEqual(sorted(rows), sorted(tests))
        self.assertEqual(len(rows), len(set(rows)))


if __name__ == "__main__":
    program.main()
