"""A server of files on loopback that misbehaves as it is told to, and remembers what it was asked."""

import contextlib
import http.server
import re
import socket
import threading
import time


class Page:
    """What stands at a path: its bytes, and how the server behaves there."""

    def __init__(self, content=b"", *, has_ranges=True, status=200, location=None, cut_after=None,
                 stall_after=None, is_chunked=False, pause_s=0, range_shift=0):
        self.content, self.has_ranges, self.status, self.location = (content, has_ranges, status,
                                                                     location)
        self.cut_after, self.stall_after, self.is_chunked = cut_after, stall_after, is_chunked
        self.pause_s, self.range_shift = pause_s, range_shift


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def send_slowly(self, page, body):
        """In pieces; cut or stalled where the page says so, counted over what is sent now."""
        end = min(len(body), *(limit for limit in (page.cut_after, page.stall_after, len(body))
                               if limit is not None))
        for first in range(0, end, 16384):
            piece = body[first:min(first + 16384, end)]
            if page.is_chunked:
                piece = b"%x\r\n%s\r\n" % (len(piece), piece)
            self.wfile.write(piece)
            self.wfile.flush()
            if page.pause_s:
                time.sleep(page.pause_s)
        if page.stall_after is not None and end < len(body):
            self.server.released.wait(60)
        if page.is_chunked and end == len(body):
            self.wfile.write(b"0\r\n\r\n")

    def do_GET(self):
        page = self.server.pages.get(self.path)
        asked = self.headers.get("Range")
        self.server.requests.append((self.path, asked))
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            if page is None:
                self.answer(404, {"Content-Length": 9})
                self.wfile.write(b"not here\n")
            elif page.location is not None:
                self.answer(302, {"Location": page.location, "Content-Length": 0})
            elif page.status != 200:
                self.answer(page.status, {"Content-Length": 0})
            else:
                self.send_content(page, asked)

    def send_content(self, page, asked):
        total, first = len(page.content), 0
        headers = {"Transfer-Encoding": "chunked"} if page.is_chunked else {}
        status = 200
        if asked is not None and page.has_ranges:
            first = int(re.fullmatch(r"bytes=(\d+)-", asked)[1])
            if first >= total:
                self.answer(416, {"Content-Range": f"bytes */{total}", "Content-Length": 0})
                return
            status = 206
            start = first + page.range_shift
            headers["Content-Range"] = f"bytes {start}-{total - 1}/{total}"
        if not page.is_chunked:
            headers["Content-Length"] = total - first
        self.answer(status, headers)
        self.send_slowly(page, page.content[first:])


class FileServer:
    """with FileServer() as server: server.pages["/a"] = Page(b"..."); server.url + "/a"."""

    def __enter__(self):
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.http.block_on_close = False
        self.pages = self.http.pages = {}
        self.requests = self.http.requests = []
        self.http.released = threading.Event()
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.http.released.set()
        self.http.shutdown()
        self.http.server_close()


class FtpServer:
    """The least that a client which fetches needs: one file, any user, passive transfers, REST."""

    def __init__(self, content):
        self.content = content
        self.commands = []

    def __enter__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"ftp://127.0.0.1:{self.listener.getsockname()[1]}"
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        """A close alone would leave accept() waiting, and a restart of that call (a process that was
        stopped and goes on) would take the first client of whoever has the descriptor next."""
        self.listener.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.listener.close()

    def serve(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                threading.Thread(target=self.talk, args=(connection,), daemon=True).start()

    def talk(self, connection):
        first, data = 0, None
        with connection, connection.makefile("r") as lines, contextlib.suppress(OSError):
            connection.sendall(b"220 hello\r\n")
            for line in lines:
                word, _, rest = line.strip().partition(" ")
                self.commands.append(f"{word} {rest}".strip())
                answer = {"USER": "230 in", "PWD": '257 "/"', "CWD": "250 there", "TYPE": "200 well",
                          "SIZE": f"213 {len(self.content)}", "QUIT": "221 bye"}.get(word, "500 what")
                if word == "EPSV":
                    data = socket.create_server(("127.0.0.1", 0))
                    answer = f"229 passive (|||{data.getsockname()[1]}|)"
                elif word == "REST":
                    first, answer = int(rest), "350 from there"
                elif word == "RETR":
                    connection.sendall(b"150 it comes\r\n")
                    with data, data.accept()[0] as stream:
                        stream.sendall(self.content[first:])
                    answer = "226 done"
                connection.sendall(f"{answer}\r\n".encode())
