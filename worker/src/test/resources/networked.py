# A program that tries to get out of a network of its own. Run as: python3 -c PROGRAM TOKEN WHAT [MORE...]
# It says on standard output how far it got.
import errno, os, socket, struct, sys, threading, time

token, what, more = sys.argv[1], sys.argv[2], sys.argv[3:]


def say(*words):
    print(*words, flush=True)


def name(error):
    return errno.errorcode.get(error.errno, str(error.errno))


def split(target):
    host, port = target.rsplit(":", 1)
    return host.strip("[]"), int(port)


def connect():
    """Connects to each and says what it was told there, or how it was refused, and whether that took long."""
    for target in more:
        host, port = split(target)
        began = time.monotonic()
        try:
            with socket.create_connection((host, port), 10) as connection:
                told = connection.recv(100)
                result = "told " + told.decode() if told else "closed"
        except socket.gaierror:
            result = "no such name"
        except OSError as e:
            result = name(e)
        say(target, result, "" if time.monotonic() - began < 8 else "late")


def datagrams():
    for target in more:
        host, port = split(target)
        try:
            with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM) as sender:
                sender.settimeout(3)
                sender.connect((host, port))
                sender.send(b"out")
                sender.send(b"out")
                sender.recv(10)
                say(target, "answered")
        except OSError as e:
            say(target, name(e) if e.errno else "timeout")


def abstract():
    for target in more:
        with socket.socket(socket.AF_UNIX) as connection:
            try:
                connection.connect("\0" + target)
                say(target, "connected")
            except OSError as e:
                say(target, name(e))


def ports():
    """Ports that are not for programs, and some that are."""
    for port in [1, 53, 80, 443, 1023, 1024, 3000, 8080]:
        for family, host in [(socket.AF_INET, ""), (socket.AF_INET6, "::")]:
            with socket.socket(family) as listener:
                try:
                    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                    if hasattr(socket, "SO_REUSEPORT"):
                        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
                    listener.bind((host, port))
                    listener.listen()
                    say(family.name, port, "listens")
                except OSError as e:
                    say(family.name, port, name(e))


def changes():
    """What would have to be changed to get out."""
    def route(kind, flags, body):
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as netlink:
            netlink.send(struct.pack("=LHHLL", 16 + len(body), kind, 5 | flags, 1, 0) + body)
            error = struct.unpack("=i", netlink.recv(4096)[16:20])[0]
            if error:
                raise OSError(-error, "netlink")
    deeds = {
        "raw": lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW),
        "icmp": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP),
        "packet": lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0),
        "netfilter": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 12),
        "mark": lambda: socket.socket().setsockopt(socket.SOL_SOCKET, 36, 1),
        "transparent": lambda: socket.socket().setsockopt(socket.SOL_IP, 19, 1),
        "down": lambda: route(16, 0, struct.pack("=BxHiLL", 0, 0, 1, 0, 1)),
        "link": lambda: route(16, 0x600, struct.pack("=BxHiLL", 0, 0, 0, 0, 0) + struct.pack("=HH8s", 12, 3, b"dummy0\0\0")),
        "address": lambda: route(20, 0x400, struct.pack("=BBBBLHH4s", 2, 32, 0, 0, 1, 8, 2, bytes([10, 0, 0, 1]))),
        "rule": lambda: route(32, 0x600, struct.pack("=BBBBBBBBL", 2, 0, 0, 0, 254, 0, 0, 1, 0)),
        "sysctl": lambda: open("/proc/sys/net/ipv4/ip_unprivileged_port_start", "w").write("0"),
        "namespace": lambda: os.listdir("/proc/1/root/run/netns"),
    }
    for deed, act in deeds.items():
        try:
            act()
            say(deed, "done")
        except OSError as e:
            say(deed, name(e))


def own():
    """A listener of its own, at each address of its own, and one without an address."""
    unnamed = socket.socket(socket.AF_UNIX)
    unnamed.bind("\0own-" + token)
    unnamed.listen()
    listener = socket.socket(socket.AF_INET6)
    listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    listener.bind(("::", 8080))
    listener.listen()

    def serve():
        while True:
            peer = listener.accept()[0]
            peer.sendall(b"mine")
            peer.close()
    threading.Thread(target=serve, daemon=True).start()
    for host in ["127.0.0.1", "::1", "localhost", "192.0.0.8", "100::8"]:
        with socket.create_connection((host, 8080), 5) as connection:
            say(host, connection.recv(10).decode())


def query(name, kind, extra=b""):
    labels = b"".join(bytes([len(label)]) + label for label in name.encode("latin-1").split(b"."))
    return struct.pack(">HHHHHH", 7, 0x100, 1, 0, 0, 0) + labels + b"\0" + struct.pack(">HH", kind, 1) + extra


def names():
    """Asks the resolver itself: NAME=KIND."""
    for asked in more:
        host, kind = asked.rsplit("=", 1)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
            asker.settimeout(10)
            asker.sendto(query(host, int(kind)), ("127.0.0.1", 53))
            answer = asker.recv(1000)
        code, answers = answer[3] & 15, struct.unpack(">H", answer[6:8])[0]
        say(asked, "code", code, "answers", answers, "bytes", len(answer) <= 512)


def garbage():
    """Messages that are none, then a good one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
        asker.settimeout(10)
        for junk in [b"", b"x", os.urandom(12), b"\xff" * 600, query("a", 1)[:-3], b"\0\7\1\0\0\1" + b"\0" * 6 + b"\xc0\x0c\0\1\0\1",
                     b"\0\7\1\0\0\1" + b"\0" * 6 + b"\x3f" * 500, os.urandom(4000)]:
            asker.sendto(junk, ("127.0.0.1", 53))
        asker.sendto(query("localhost", 1), ("127.0.0.1", 53))
        say("answer", asker.recv(1000)[-4:].hex())


def lookup():
    for host in more:
        try:
            say(host, sorted({info[4][0] for info in socket.getaddrinfo(host, 80, type=socket.SOCK_STREAM)}))
        except socket.gaierror as e:
            say(host, "no such name" if e.errno == socket.EAI_NONAME else e.errno)


def transfer():
    """Sends so many bytes, ends its output, and reads as many back."""
    host, port = split(more[0])
    total = int(more[1])
    block = bytes(range(256)) * 256
    with socket.create_connection((host, port), 20) as connection:
        def send():
            sent = 0
            while sent < total:
                sent += connection.send(block[: total - sent])
            connection.shutdown(socket.SHUT_WR)
        sender = threading.Thread(target=send)
        sender.start()
        got, began = 0, time.monotonic()
        while chunk := connection.recv(1 << 16):
            if chunk != (block + block)[got % 256 : got % 256 + len(chunk)]:
                say("other bytes at", got)
                break
            got += len(chunk)
        sender.join()
        say("returned", got, "%.0f MB/s" % (got / 1e6 / (time.monotonic() - began)))


def many():
    """Holds so many connections at a time, until none has been greeted for so many seconds."""
    host, port = split(more[0])
    held, greeted = [], 0
    for _ in range(int(more[1])):
        connection = socket.socket()
        connection.setblocking(False)
        connection.connect_ex((host, port))
        held.append(connection)
    deadline = time.monotonic() + float(more[2])
    while time.monotonic() < deadline and held:
        for connection in list(held):
            try:
                if connection.recv(10):
                    greeted += 1
                    deadline = time.monotonic() + float(more[2])
                    held.remove(connection)
                    if len(more) > 3:
                        connection.close()
                    else:
                        globals().setdefault("kept", []).append(connection)
            except OSError:
                pass
        time.sleep(0.01)
    say("greeted", greeted)
    if len(more) <= 3:
        time.sleep(600)


def fill():
    """Holds so many connections, and sends into each what nobody reads, for as long as there is room."""
    host, port = split(more[0])
    held = [socket.create_connection((host, port), 20) for _ in range(int(more[1]))]
    for connection in held:
        connection.setblocking(False)
    block, quiet = bytes(1 << 16), time.monotonic()
    while time.monotonic() - quiet < 1:
        for connection in held:
            try:
                while connection.send(block):
                    quiet = time.monotonic()
            except BlockingIOError:
                pass
        time.sleep(0.01)
    say("full")
    time.sleep(600)


def idle():
    """Holds two connections and says something on one of them, until the other ends."""
    quiet, busy = [socket.create_connection(split(more[0]), 20) for _ in range(2)]
    quiet.settimeout(0.3)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        busy.sendall(b"x")
        busy.recv(1)
        try:
            say("quiet", quiet.recv(1).decode() or "closed")
            break
        except socket.timeout:
            pass
        except OSError as e:
            say("quiet", name(e))
            break
    busy.sendall(b"x")
    say("busy", busy.recv(1).decode())


def flood():
    """Connects to what is refused, as often as it can, for ever."""
    say("flooding")
    while True:
        connection = socket.socket()
        connection.setblocking(False)
        connection.connect_ex(("10.0.0.1", 80))
        connection.close()


def latency():
    host, port = split(more[0])
    with socket.create_connection((host, port), 20) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        times = []
        for _ in range(int(more[1])):
            began = time.perf_counter()
            connection.sendall(b"x")
            connection.recv(1)
            times.append(time.perf_counter() - began)
    times.sort()
    say("round trip %.0f us median, %.0f us least" % (times[len(times) // 2] * 1e6, times[0] * 1e6))


globals()[what]()
