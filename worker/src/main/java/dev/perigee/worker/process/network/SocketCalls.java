package dev.perigee.worker.process.network;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The system's calls for sockets, by the Foreign Function API: the JDK's channels cannot be made of
 * descriptors that another process opened. Each returns its result, or the negated error number,
 * and none blocks. An instance owns the memory of its calls, so it is used by one thread.
 */
@SuppressWarnings("restricted")
final class SocketCalls {
    static final int INTERRUPTED = -4;
    static final int TRY_AGAIN = -11;
    static final int IN_PROGRESS = -115;

    /** What is moved at once between two sockets. */
    static final int CHUNK_BYTES = 1 << 16;

    private static final int AF_UNIX = 1;
    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;
    private static final int STREAM = 1;
    private static final int NONBLOCKING = 0x800;
    private static final int CLOSE_ON_EXEC = 0x80000;
    private static final int O_PATH_DIRECTORY = 0x200000 | CLOSE_ON_EXEC;
    private static final int F_SETFL = 4;
    private static final int SOL_IP = 0;
    private static final int SOL_SOCKET = 1;
    private static final int SOL_TCP = 6;
    private static final int SOL_IPV6 = 41;
    private static final int ORIGINAL_DESTINATION = 80;
    private static final int SO_ERROR = 4;
    private static final int SO_SEND_BUFFER = 7;
    private static final int SO_RECEIVE_BUFFER = 8;
    private static final int SO_KEEPALIVE = 9;
    private static final int SO_LINGER = 13;
    private static final int TCP_NODELAY = 1;
    private static final int SHUT_WRITE = 1;
    private static final int MSG_PEEK = 0x2;
    private static final int MSG_TRUNCATE = 0x20;
    private static final int MSG_DONTWAIT = 0x40;
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int MSG_CLOSE_ON_EXEC = 0x4000_0000;
    private static final int BACKLOG = 128;

    /**
     * What the kernel keeps each way of a connection that is not read, 256 KiB as it counts, which
     * is twice what it is told; it would keep megabytes.
     */
    private static final int BUFFER_BYTES = 1 << 17;

    private static final int ADDRESS_BYTES = 128;
    private static final int CONTROL_BYTES = 256;
    private static final int CONTROL_HEAD = 16;
    private static final int MESSAGE_HEAD = 56;
    private static final int IPV4_BYTES = 4;

    private static final Linker.Option CAPTURE = Linker.Option.captureCallState("errno");
    private static final VarHandle ERRNO =
            Linker.Option.captureStateLayout()
                    .varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private static final MethodHandle SOCKET = function("socket", JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle BIND = function("bind", JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle LISTEN = function("listen", JAVA_INT, JAVA_INT);
    private static final MethodHandle CONNECT = function("connect", JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle ACCEPT =
            function("accept4", JAVA_INT, ADDRESS, ADDRESS, JAVA_INT);
    private static final MethodHandle PEER = function("getpeername", JAVA_INT, ADDRESS, ADDRESS);
    private static final MethodHandle SHUTDOWN = function("shutdown", JAVA_INT, JAVA_INT);
    private static final MethodHandle CLOSE = function("close", JAVA_INT);
    private static final MethodHandle GET_OPTION =
            function("getsockopt", JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS);
    private static final MethodHandle SET_OPTION =
            function("setsockopt", JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle RECEIVE =
            lengthFunction("recvfrom", JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS);
    private static final MethodHandle SEND =
            lengthFunction("sendto", JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle RECEIVE_MESSAGE =
            lengthFunction("recvmsg", JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle CONTROL = variadic("fcntl", 2, JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle OPEN = variadic("open", 2, ADDRESS, JAVA_INT);

    private final MemorySegment state;
    private final MemorySegment chunk;
    private final MemorySegment address;
    private final MemorySegment number;
    private final MemorySegment linger;
    private final MemorySegment message;
    private final MemorySegment vector;
    private final MemorySegment control;

    private static MethodHandle function(String name, MemoryLayout... arguments) {
        return handle(name, FunctionDescriptor.of(JAVA_INT, arguments), CAPTURE);
    }

    private static MethodHandle lengthFunction(String name, MemoryLayout... arguments) {
        return handle(name, FunctionDescriptor.of(JAVA_LONG, arguments), CAPTURE);
    }

    private static MethodHandle variadic(String name, int fixed, MemoryLayout... arguments) {
        return handle(
                name,
                FunctionDescriptor.of(JAVA_INT, arguments),
                CAPTURE,
                Linker.Option.firstVariadicArg(fixed));
    }

    private static MethodHandle handle(
            String name, FunctionDescriptor type, Linker.Option... options) {
        var linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type, options);
    }

    SocketCalls() {
        var memory = Arena.ofAuto();
        state = memory.allocate(Linker.Option.captureStateLayout());
        chunk = memory.allocate(CHUNK_BYTES, Long.BYTES);
        address = memory.allocate(ADDRESS_BYTES, Long.BYTES);
        number = memory.allocate(JAVA_INT);
        linger = memory.allocate(JAVA_INT, 2);
        linger.setAtIndex(JAVA_INT, 0, 1);
        message = memory.allocate(MESSAGE_HEAD, Long.BYTES);
        vector = memory.allocate(2 * Long.BYTES, Long.BYTES);
        control = memory.allocate(CONTROL_BYTES, Long.BYTES);
    }

    /** One call; its failures are those of the binding, not of the system. */
    private interface Call {
        long now() throws Throwable;
    }

    private long result(Call call) {
        try {
            var value = call.now();
            return value == -1 ? -(int) ERRNO.get(state, 0L) : value;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    void close(int file) {
        result(() -> (int) CLOSE.invokeExact(state, file));
    }

    /** Ends a connection so that the peer finds it broken off. */
    void abort(int socket) {
        result(() -> (int) SET_OPTION.invokeExact(state, socket, SOL_SOCKET, SO_LINGER, linger, 8));
        close(socket);
    }

    int makeNonblocking(int file) {
        return (int) result(() -> (int) CONTROL.invokeExact(state, file, F_SETFL, NONBLOCKING));
    }

    /**
     * A listener of this machine, for programs that can reach the directory.
     *
     * @throws IllegalStateException when there is none
     */
    int listen(Path directory, String name) {
        try (var memory = Arena.ofConfined()) {
            // The name of a socket is short; those of directories need not be.
            var path = memory.allocateFrom(directory.toString());
            int opened =
                    require(result(() -> (int) OPEN.invokeExact(state, path, O_PATH_DIRECTORY)));
            int socket = socket(AF_UNIX);
            try {
                var place = "/proc/self/fd/%d/%s".formatted(opened, name);
                address.fill((byte) 0);
                address.set(JAVA_SHORT, 0, (short) AF_UNIX);
                MemorySegment.copy(
                        place.getBytes(StandardCharsets.UTF_8),
                        0,
                        address,
                        JAVA_BYTE,
                        2,
                        place.length());
                int length = 2 + place.length() + 1;
                require(result(() -> (int) BIND.invokeExact(state, socket, address, length)));
                require(result(() -> (int) LISTEN.invokeExact(state, socket, BACKLOG)));
                return socket;
            } catch (IllegalStateException e) {
                close(socket);
                throw e;
            } finally {
                close(opened);
            }
        }
    }

    private static int require(long result) {
        if (result < 0) {
            throw new IllegalStateException("A socket cannot be made, error " + -result);
        }
        return (int) result;
    }

    private int socket(int family) {
        return require(
                result(
                        () ->
                                (int)
                                        SOCKET.invokeExact(
                                                state,
                                                family,
                                                STREAM | NONBLOCKING | CLOSE_ON_EXEC,
                                                0)));
    }

    int accept(int listener) {
        return (int)
                result(
                        () ->
                                (int)
                                        ACCEPT.invokeExact(
                                                state,
                                                listener,
                                                MemorySegment.NULL,
                                                MemorySegment.NULL,
                                                NONBLOCKING | CLOSE_ON_EXEC));
    }

    /** Begins to connect: a socket that can be written to when it has, or an error. */
    int connect(InetSocketAddress to) {
        var bytes = to.getAddress().getAddress();
        boolean ipv4 = bytes.length == IPV4_BYTES;
        int socket;
        try {
            socket = socket(ipv4 ? AF_INET : AF_INET6);
        } catch (IllegalStateException e) {
            return -1;
        }
        set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
        set(socket, SOL_SOCKET, SO_SEND_BUFFER, BUFFER_BYTES);
        set(socket, SOL_SOCKET, SO_RECEIVE_BUFFER, BUFFER_BYTES);
        set(socket, SOL_TCP, TCP_NODELAY, 1);
        address.fill((byte) 0);
        address.set(JAVA_SHORT, 0, (short) (ipv4 ? AF_INET : AF_INET6));
        address.set(JAVA_BYTE, 2, (byte) (to.getPort() >> 8));
        address.set(JAVA_BYTE, 3, (byte) to.getPort());
        MemorySegment.copy(bytes, 0, address, JAVA_BYTE, ipv4 ? 4 : 8, bytes.length);
        long result =
                result(() -> (int) CONNECT.invokeExact(state, socket, address, ipv4 ? 16 : 28));
        if (result < 0 && result != IN_PROGRESS) {
            close(socket);
            return (int) result;
        }
        return socket;
    }

    /** A connection that carries what somebody waits for. */
    void hurry(int socket) {
        set(socket, SOL_TCP, TCP_NODELAY, 1);
    }

    private void set(int socket, int level, int option, int value) {
        number.set(JAVA_INT, 0, value);
        result(
                () ->
                        (int)
                                SET_OPTION.invokeExact(
                                        state, socket, level, option, number, Integer.BYTES));
    }

    /** Why a connection failed, negated; 0 when it did not. */
    int error(int socket) {
        number.set(JAVA_INT, 0, Integer.BYTES);
        address.set(JAVA_INT, 0, 0);
        long result =
                result(
                        () ->
                                (int)
                                        GET_OPTION.invokeExact(
                                                state,
                                                socket,
                                                SOL_SOCKET,
                                                SO_ERROR,
                                                address,
                                                number));
        return result < 0 ? (int) result : -address.get(JAVA_INT, 0);
    }

    /** Whether a socket that began to connect has a peer. */
    boolean isConnected(int socket) {
        number.set(JAVA_INT, 0, ADDRESS_BYTES);
        return result(() -> (int) PEER.invokeExact(state, socket, address, number)) == 0;
    }

    /** Where a connection was to go before the kernel sent it here; null when it does not say. */
    @Nullable InetSocketAddress destination(int socket, boolean ipv4) {
        number.set(JAVA_INT, 0, ADDRESS_BYTES);
        long result =
                result(
                        () ->
                                (int)
                                        GET_OPTION.invokeExact(
                                                state,
                                                socket,
                                                ipv4 ? SOL_IP : SOL_IPV6,
                                                ORIGINAL_DESTINATION,
                                                address,
                                                number));
        if (result < 0) {
            return null;
        }
        int high = address.get(JAVA_BYTE, 2) & 0xff;
        int port = (high << 8) | (address.get(JAVA_BYTE, 3) & 0xff);
        var bytes = address.asSlice(ipv4 ? 4 : 8, ipv4 ? 4 : 16).toArray(JAVA_BYTE);
        try {
            return new InetSocketAddress(InetAddress.getByAddress(bytes), port);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e); // Its length is right.
        }
    }

    /** Looks at what is there without taking it; 0 when the peer has said its last. */
    long peek(int socket) {
        return receive(socket, CHUNK_BYTES, MSG_PEEK);
    }

    /** Sends the beginning of what was seen last. */
    long forward(int socket, long bytes) {
        return result(
                () ->
                        (long)
                                SEND.invokeExact(
                                        state,
                                        socket,
                                        chunk,
                                        bytes,
                                        MSG_DONTWAIT | MSG_NOSIGNAL,
                                        MemorySegment.NULL,
                                        0));
    }

    /** Takes what was seen, which costs no copying. */
    long drop(int socket, long bytes) {
        return receive(socket, bytes, MSG_TRUNCATE);
    }

    private long receive(int socket, long bytes, int flags) {
        return result(
                () ->
                        (long)
                                RECEIVE.invokeExact(
                                        state,
                                        socket,
                                        chunk,
                                        bytes,
                                        flags | MSG_DONTWAIT,
                                        MemorySegment.NULL,
                                        MemorySegment.NULL));
    }

    void endOutput(int socket) {
        result(() -> (int) SHUTDOWN.invokeExact(state, socket, SHUT_WRITE));
    }

    /** A datagram and whom it is from, as the system writes it. */
    @SuppressWarnings("ArrayRecordComponent") // Of one owner, and never compared.
    record Datagram(byte[] content, byte[] from) {}

    /** The next datagram, null when there is none. */
    @Nullable Datagram receiveFrom(int socket) {
        number.set(JAVA_INT, 0, ADDRESS_BYTES);
        long count =
                result(
                        () ->
                                (long)
                                        RECEIVE.invokeExact(
                                                state,
                                                socket,
                                                chunk,
                                                (long) DnsQuery.LONGEST,
                                                MSG_DONTWAIT,
                                                address,
                                                number));
        return count < 0
                ? null
                : new Datagram(
                        chunk.asSlice(0, count).toArray(JAVA_BYTE),
                        address.asSlice(0, number.get(JAVA_INT, 0)).toArray(JAVA_BYTE));
    }

    /** Sends it, or not. */
    void sendTo(int socket, byte[] content, byte[] to) {
        MemorySegment.copy(content, 0, chunk, JAVA_BYTE, 0, content.length);
        MemorySegment.copy(to, 0, address, JAVA_BYTE, 0, to.length);
        result(
                () ->
                        (long)
                                SEND.invokeExact(
                                        state,
                                        socket,
                                        chunk,
                                        (long) content.length,
                                        MSG_DONTWAIT | MSG_NOSIGNAL,
                                        address,
                                        to.length));
    }

    /** Writes one byte to a peer that waits for it. */
    void confirm(int socket) {
        chunk.set(JAVA_BYTE, 0, (byte) 1);
        forward(socket, 1);
    }

    /** A text and the descriptors that came with it, which are the receiver's to close. */
    record Gift(String text, List<Integer> descriptors) {}

    /** What a program of this machine gave; null when it gave nothing yet, empty when it ended. */
    @Nullable Gift receiveGift(int socket) {
        message.fill((byte) 0);
        control.fill((byte) 0);
        vector.set(ADDRESS, 0, chunk);
        vector.set(JAVA_LONG, 8, 256);
        message.set(ADDRESS, 16, vector);
        message.set(JAVA_LONG, 24, 1);
        message.set(ADDRESS, 32, control);
        message.set(JAVA_LONG, 40, CONTROL_BYTES);
        long count =
                result(
                        () ->
                                (long)
                                        RECEIVE_MESSAGE.invokeExact(
                                                state,
                                                socket,
                                                message,
                                                MSG_DONTWAIT | MSG_CLOSE_ON_EXEC));
        if (count == TRY_AGAIN || count == INTERRUPTED) {
            return null;
        }
        if (count < 0) {
            return new Gift("", List.of());
        }
        var text = chunk.asSlice(0, count).toArray(JAVA_BYTE);
        return new Gift(new String(text, StandardCharsets.US_ASCII), descriptors());
    }

    private List<Integer> descriptors() {
        var found = new ArrayList<Integer>();
        long length = Math.min(message.get(JAVA_LONG, 40), control.get(JAVA_LONG, 0));
        boolean rights = control.get(JAVA_INT, 8) == SOL_SOCKET && control.get(JAVA_INT, 12) == 1;
        if (length > CONTROL_HEAD && rights) {
            var files = control.asSlice(CONTROL_HEAD, length - CONTROL_HEAD).toArray(JAVA_INT);
            Arrays.stream(files).forEach(found::add);
        }
        return found;
    }
}
