"""Requests nobody should send: the server answers with a problem or closes, and goes on serving.

Usage: serve_hostile_test.py PATH_OF_STALLCAST [unittest options]."""

import json
import socket
import time
import unittest

import program
from server import KEEPS_LITTLE, SCENARIO, RawBytes, Server


class HostileTest(RawBytes, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(env=KEEPS_LITTLE).__enter__()
        cls.addClassCleanup(cls.server.__exit__)

    def tearDown(self):
        self.assertIsNone(self.server.process.poll(), "the server ended")
        self.assertEqual(self.server.post("/v1/estimate").status, 200)

    def status(self, *parts):
        answer = self.raw(*parts)
        self.assertTrue(answer.startswith(b"HTTP/1.1 "), answer[:200])
        return int(answer[9:12])

    def test_a_body_of_ten_megabytes_is_refused_before_it_is_read(self):
        head = b"POST /v1/lint HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10000000\r\n\r\n"
        self.assertEqual(self.status(head), 413)
        self.assertEqual(self.status(head, b" " * 10_000_000), 413)

    def test_what_is_no_http_is_refused(self):
        for bytes_ in (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"GARBAGE\r\n\r\n", b"\x00" * 100,
                       b"GET nothing HTTP/1.1\r\n\r\n", b"GET /\xff\xfe HTTP/1.1\r\n\r\n",
                       b"GET / HTTP/1.1\r\nno colon\r\n\r\n", b"GET / HTTP/1.1\r\nA : b\r\n\r\n",
                       b"GET / HTTP/1.1\r\nA: \x01\r\n\r\n", b"GET / HTTP/1.1\nHost: x\r\n\r\n"):
            self.assertIn(self.status(bytes_), (400, 505), bytes_)
        self.assertEqual(self.status(b"GET / HTTP/9.9\r\n\r\n"), 505)
        self.assertEqual(self.status(b"BREW / HTTP/1.1\r\nConnection: close\r\n\r\n"), 400)

    def test_lengths_that_can_be_read_in_two_ways_are_refused(self):
        post = b"POST /v1/lint HTTP/1.1\r\nHost: localhost\r\n"
        for headers in (b"Content-Length: 2\r\nContent-Length: 3\r\n", b"Content-Length: -1\r\n",
                        b"Content-Length: 0x10\r\n", b"Content-Length: \r\n", b"Content-Length: 2, 2\r\n"):
            self.assertEqual(self.status(post + headers + b"\r\n{}"), 400, headers)
        self.assertEqual(self.status(post + b"Content-Length: 99999999999999999999999\r\n\r\n"), 413)
        self.assertEqual(self.status(post + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"), 411)
        self.assertEqual(self.status(post + b"Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}"), 415)

    def test_long_lines_are_refused(self):
        self.assertEqual(self.status(b"GET /" + b"a" * 100_000), 414)
        self.assertEqual(self.status(b"GET / HTTP/1.1\r\n" + b"A: " + b"b" * 100_000), 431)
        self.assertEqual(self.status(b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 100_000), 431)

    def test_deep_nesting_and_odd_texts_are_problems_with_a_place(self):
        deep = b"[" * 400_000
        for body in (deep, b'{"a":' * 100_000, deep + b"]" * 400_000, b"\xff\xfe\x00", b'{"id": "\xc3\x28"}',
                     b"\x00", b"{" + b'"a":1,' * 100_000 + b"}", b"/*" * 100_000, b'"' + b"\\u0000" * 9 + b'"',
                     b'{"id": "\\ud800"}', b"1e999999", b"-" * 10_000):
            for route in ("/v1/lint", "/v1/estimate", "/v1/runs"):
                answer = self.server.post(route, body)
                if route == "/v1/lint":
                    self.assertIn(answer.status, (200, 422), body[:20])
                    self.assertFalse(answer.json.get("valid", False), body[:20])
                else:
                    self.assertEqual(answer.status, 422, body[:20])
                    self.assertIn("detail", answer.json)

    def test_scenarios_of_very_many_parts_are_refused_at_once(self):
        job = '{ "id": "j%d", "hosts": "gpu", "step": { "compute": "1 s" } }, '
        many = SCENARIO.replace('"jobs": [ ', '"jobs": [ ' + "".join(job % i for i in range(15000)))
        answer = self.server.post("/v1/estimate", many)
        self.assertEqual(answer.status, 422)
        self.assertIn("objects", answer.json["detail"])

    def test_long_chains_of_parameters_are_a_fault_and_no_crash(self):
        for n in (1500, 25_000):
            chain = ",".join(f'"p{i}": "=p{i + 1}+1"' for i in range(n))
            answer = self.server.post("/v1/estimate", SCENARIO.replace(
                '"id": "served"', '"params": {' + chain + f', "p{n}": 1' + '}, "id": "x"'))
            self.assertEqual(answer.status, 422, answer.text[:200])
            self.assertIn("depend on each other", answer.text)

    def test_baselines_of_strangers_are_problems_or_are_told_as_text(self):
        deep = "[" * 200_000
        for baseline in (deep, '{"schema": ' + deep, "\ud800", "\0", "{}", '{"schema": "stallcast.baseline/1", "entries": 3}',
                         '{"schema": "stallcast.baseline/1", "entries": [{"value": 1e999}]}'):
            answer = self.server.post("/v1/check", json.dumps({"scenario": SCENARIO, "baseline": baseline}))
            self.assertEqual(answer.status, 422, baseline[:40])
        for body in (b'{"scenario": "\xff", "baseline": "x"}', b'{"baseline": ' + b'{"a":' * 100_000, b'"baseline"',
                     b'{"scenario": null, "baseline": null}', b'{"scenario": 1, "baseline": 2, "more": 3}'):
            self.assertEqual(self.server.post("/v1/check", body).status, 422, body[:40])
        for query in ("path=%ff%fe", "tolerance=%ff", "assert=%ff%00", "tolerance=a%3D1%25&new_only=true"):
            self.assertIn(self.server.post("/v1/check?" + query).status, (202, 400, 422), query)

    def test_spellings_of_one_design_do_not_pile_up(self):
        def grown_by(spaces):
            before = self.server.resident()
            for i in range(40):
                self.server.run("/v1/runs?advice=false", SCENARIO + " " * (spaces + i))
            return self.server.resident() - before

        grown_by(800_000)
        few = grown_by(0)
        # Forty texts of 0.9 MB are 36 MB more than forty of none, where they are kept.
        self.assertLess(grown_by(900_000), few + 15_000)

    def test_invalid_utf8_in_a_query_is_answered(self):
        for query in ("set=%ff%fe", "variant=%c3%28", "set=a%00b=c", "set=%"):
            self.assertIn(self.server.post("/v1/estimate?" + query).status, (400, 422), query)

    def test_paths_that_climb_lead_nowhere(self):
        for path in (b"/../../etc/passwd", b"/%2e%2e/%2e%2e/etc/passwd", b"/v1/runs/../../x",
                     b"/v1/runs/%2e%2e%2fresult/result", b"//etc/passwd", b"/v1/runs/\\..\\x"):
            answer = self.raw(b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            self.assertTrue(answer.startswith(b"HTTP/1.1 404"), path)
            self.assertNotIn(b"root:", answer)

    def test_pipelined_requests_are_answered_in_order_up_to_the_garbage(self):
        one = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        answer = self.raw(one * 50 + b"\x00\x01garbage\r\n\r\n" + one)
        self.assertEqual(answer.count(b"HTTP/1.1 200"), 50)
        self.assertEqual(answer.count(b"HTTP/1.1 400"), 1)
        self.assertGreater(answer.find(b"HTTP/1.1 400"), answer.rfind(b"HTTP/1.1 200"))

    def test_a_client_that_waits_to_be_asked_for_its_body_is_asked(self):
        connection = self.connect()
        body = SCENARIO.encode()
        connection.sendall(b"POST /v1/lint HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nConnection: close\r\n"
                           b"Content-Length: %d\r\n\r\n" % len(body))
        self.assertTrue(connection.recv(100).startswith(b"HTTP/1.1 100"))
        connection.sendall(body)
        answer = b""
        while data := connection.recv(65536):
            answer += data
        self.assertIn(b"HTTP/1.1 200 OK", answer)

    def test_a_thousand_idle_connections_starve_nobody(self):
        idle = [self.connect() for _ in range(1000)]
        for connection in idle[::2]:
            connection.sendall(b"POST /v1/lint HTTP/1.1\r\nContent-Length: 100\r\n\r\n{")  # and no more
        for _ in range(20):
            self.assertEqual(self.server.post("/v1/estimate").status, 200)
        self.assertIn("stallcast_connections 10", self.server.get("/metrics").text)
        for connection in idle:
            connection.close()

    def test_clients_that_leave_in_the_middle_are_forgotten(self):
        for cut in (b"GET", b"GET / HTTP/1.1\r\n", b"POST /v1/lint HTTP/1.1\r\nContent-Length: 9\r\n\r\n{",
                    b"GET /v1/catalog HTTP/1.1\r\nHost: localhost\r\n\r\n"):
            for _ in range(50):
                self.connect().sendall(cut)
        for connection in range(50):
            connection = self.connect()
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
            connection.sendall(b"GET /v1/catalog HTTP/1.1\r\nHost: localhost\r\n\r\n")
            connection.close()

    def test_a_client_that_does_not_read_holds_nobody_up(self):
        for _ in range(20):
            connection = socket.socket()
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(("127.0.0.1", self.server.port))
            self.addCleanup(connection.close)
            connection.sendall(b"GET /v1/catalog HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20)
        self.assertEqual(self.server.post("/v1/estimate").status, 200)


class SlowTest(unittest.TestCase):
    def test_a_request_that_trickles_in_is_ended(self):
        with Server() as server:
            connection = socket.create_connection(("127.0.0.1", server.port), timeout=30)
            connection.sendall(b"POST /v1/lint HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n")
            answer = b""
            connection.settimeout(0.2)
            until = time.monotonic() + 40
            while not answer and time.monotonic() < until:
                try:
                    connection.sendall(b" ")
                    answer = connection.recv(1000)
                except TimeoutError:
                    pass
            self.assertTrue(answer.startswith(b"HTTP/1.1 408"), answer)
            connection.close()


if __name__ == "__main__":
    program.main()
