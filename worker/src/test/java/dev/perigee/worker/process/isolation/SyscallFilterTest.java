package dev.perigee.worker.process.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The filter's instructions, carried out as the kernel does. */
@DisplayName("The filter of system calls")
final class SyscallFilterTest {
    private static final int ALLOW = 0x7fff_0000;
    private static final int ERRNO = 0x0005_0000;
    private static final int EPERM = 1;
    private static final int ENOSYS = 38;
    private static final int EAFNOSUPPORT = 97;
    private static final int LONGEST = 4096;

    /** What the kernel answers to a call, by the instructions alone. */
    private static int answer(byte[] filter, int audit, int number, long... arguments) {
        var call = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
        call.putInt(0, number).putInt(4, audit);
        for (int at = 0; at < arguments.length; at++) {
            call.putLong(16 + 8 * at, arguments[at]);
        }
        var program = ByteBuffer.wrap(filter).order(ByteOrder.LITTLE_ENDIAN);
        int accumulator = 0;
        for (int at = 0; ; at += 8) {
            int value = program.getInt(at + 4);
            boolean jumps =
                    switch (program.getShort(at)) {
                        case 0x15 -> accumulator == value;
                        case 0x25 -> Integer.compareUnsigned(accumulator, value) > 0;
                        case 0x35 -> Integer.compareUnsigned(accumulator, value) >= 0;
                        default -> false;
                    };
            switch (program.getShort(at)) {
                case 0x20 -> accumulator = call.getInt(value);
                case 0x54 -> accumulator &= value;
                case 0x06 -> {
                    return value;
                }
                default -> at += 8 * Byte.toUnsignedInt(program.get(at + (jumps ? 2 : 3)));
            }
        }
    }

    private static int answer(ProcessorArchitecture machine, String name, long... arguments) {
        return answer(
                new SyscallFilter(machine).instructions(),
                machine.audit,
                SyscallList.of(machine).number(name),
                arguments);
    }

    @ParameterizedTest
    @EnumSource(ProcessorArchitecture.class)
    @DisplayName("allows every call of the list that has no rule, and no other number")
    void list(ProcessorArchitecture machine) {
        var list = SyscallList.of(machine);
        var filter = new SyscallFilter(machine).instructions();
        assertThat(filter.length / 8).isLessThan(LONGEST);
        var plain = list.unconditional();
        var ruled = SyscallRule.ALL.stream().map(rule -> list.number(rule.name())).toList();
        for (int number = 0; number < 2000; number++) {
            if (!ruled.contains(number)) {
                int refused = ERRNO | (number > list.highest() ? ENOSYS : EPERM);
                assertThat(answer(filter, machine.audit, number))
                        .as("%d", number)
                        .isEqualTo(plain.contains(number) ? ALLOW : refused);
            }
        }
        assertThat(plain).hasSizeGreaterThan(200);
    }

    @Test
    @DisplayName("refuses the calls of other conventions of the same machine")
    void conventions() {
        var filter = new SyscallFilter(ProcessorArchitecture.X86_64).instructions();
        assertThat(answer(filter, 0x4000_0003, 3)).isEqualTo(ERRNO | ENOSYS);
        assertThat(answer(filter, ProcessorArchitecture.X86_64.audit, 0x4000_0000))
                .isEqualTo(ERRNO | ENOSYS);
        assertThat(answer(filter, ProcessorArchitecture.X86_64.audit, -1))
                .isEqualTo(ERRNO | ENOSYS);
    }

    @ParameterizedTest
    @CsvSource({
        "read, 0, 0, 0, 0",
        "clone, 0x11, 0, 0, 0",
        "clone, 0x3d0f00, 0, 0, 0",
        "clone, 0x10000011, 0, 0, 1",
        "clone, 0x40000000, 0, 0, 1",
        "clone, 0x20000, 0, 0, 1",
        "clone3, 0, 0, 0, 38",
        "io_uring_setup, 1, 0, 0, 38",
        "io_setup, 1, 0, 0, 38",
        "sendfile, 1, 3, 0, 22",
        "splice, 3, 0, 4, 22",
        "tee, 3, 4, 1, 22",
        "fallocate, 3, 0, 0, 0",
        "fallocate, 3, 3, 0, 0",
        "fallocate, 3, 1, 0, 95",
        "fallocate, 3, 0x11, 0, 95",
        "ioctl, 3, 0x40305828, 0, 1",
        "ioctl, 3, 0x4030582a, 0, 1",
        "ioctl, 3, 0x40305839, 0, 1",
        "ioctl, 3, 0x401c5820, 0, 1",
        "setxattr, 8, 8, 8, 95",
        "lsetxattr, 8, 8, 8, 95",
        "fsetxattr, 3, 8, 8, 95",
        "setxattrat, 3, 8, 0, 95",
        "getsockopt, 3, 6, 11, 0",
        "getsockopt, 3, 1, 35, 0",
        "getsockopt, 3, 6, 35, 92",
        "landlock_create_ruleset, 0, 0, 1, 38",
        "memfd_create, 0, 0, 0, 38",
        "msgget, 0, 0x200, 0, 38",
        "fcntl, 0, 4, 0x800, 0",
        "fcntl, 0, 1031, 0x100000, 1",
        "setsockopt, 0, 1, 2, 0",
        "setsockopt, 0, 6, 7, 0",
        "setsockopt, 3, 1, 26, 92",
        "setsockopt, 3, 1, 27, 0",
        "setsockopt, 3, 1, 50, 92",
        "setsockopt, 3, 1, 51, 92",
        "setsockopt, 3, 1, 52, 92",
        "setsockopt, 3, 1, 60, 92",
        "setsockopt, 3, 1, 0x10000003c, 92",
        "setsockopt, 3, 1, 73, 92",
        "setsockopt, 3, 0, 60, 0",
        "setsockopt, 3, 6, 73, 0",
        "semget, 0, 1, 0x200, 38",
        "shmget, 0, 4096, 0x200, 38",
        "unshare, 0x400, 0, 0, 0",
        "unshare, 0x80, 0, 0, 1",
        "unshare, 0x10000000, 0, 0, 1",
        "ioctl, 0, 0x5401, 0, 0",
        "ioctl, 0, 0x5412, 0, 1",
        "ioctl, 0, 0x541c, 0, 1",
        "ioctl, 0, 0x100005412, 0, 1",
        "prctl, 22, 2, 8, 22",
        "prctl, 0x100000016, 2, 8, 22",
        "prctl, 38, 1, 0, 0",
        "seccomp, 1, 0, 8, 22",
        "seccomp, 2, 0, 8, 0",
        "personality, 0, 0, 0, 0",
        "personality, 0xffffffff, 0, 0, 0",
        "personality, 8, 0, 0, 1",
        "socket, 1, 1, 0, 0",
        "socket, 2, 1, 6, 0",
        "socket, 10, 2, 0, 0",
        "socket, 10, 1, 0, 0",
        "socket, 2, 2, 17, 0",
        "socket, 10, 2, 58, 0",
        "socket, 2, 1, 132, 97",
        "socket, 10, 1, 262, 97",
        "socket, 2, 6, 33, 97",
        "socket, 2, 2, 136, 97",
        "socket, 16, 3, 0, 0",
        "socket, 16, 3, 12, 97",
        "socket, 17, 3, 0, 97",
        "socket, 40, 1, 0, 97",
        "socketpair, 1, 1, 0, 0",
        "socketpair, 30, 1, 0, 97",
    })
    @DisplayName("decides by arguments")
    void arguments(String name, String first, String second, String third, int errno) {
        for (var machine : ProcessorArchitecture.values()) {
            assertThat(
                            answer(
                                    machine,
                                    name,
                                    Long.decode(first),
                                    Long.decode(second),
                                    Long.decode(third)))
                    .as("%s on %s", name, machine)
                    .isEqualTo(errno == 0 ? ALLOW : ERRNO | errno);
        }
    }

    @ParameterizedTest
    @CsvSource({"7, send", "8, receive"})
    @DisplayName("TEN-08: has sockets keep their buffers, without an error")
    void buffers(int option, String ignored) {
        for (var machine : ProcessorArchitecture.values()) {
            assertThat(answer(machine, "setsockopt", 3, 1, option)).as(ignored).isEqualTo(ERRNO);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0x22, true",
        "0x4022, true",
        "0x1, true",
        "0x2, true",
        "0x21, false",
        "0x23, false",
        "0x8021, false",
        "0x10000000021, false",
        "0x40022, false",
        "0x40001, false",
    })
    @DisplayName("TEN-08: has memory that is shared be a file's")
    void sharedMemory(String flags, boolean allowed) {
        for (var machine : ProcessorArchitecture.values()) {
            assertThat(answer(machine, "mmap", 0, 4096, 3, Long.decode(flags)))
                    .isEqualTo(allowed ? ALLOW : ERRNO | EPERM);
        }
    }

    @Test
    @DisplayName("is the same for nsjail, as text")
    void policy() {
        assertThat(new SyscallFilter(ProcessorArchitecture.X86_64).policy())
                .startsWith("POLICY perigee {\nALLOW { SYSCALL[0], SYSCALL[1], ")
                .contains(
                        "\nERRNO(38) { SYSCALL[435] },\n",
                        "(((a3 & 0x40001) == 0x0) || ((a3 & 0x40020) == 0x0))",
                        "\nERRNO(92) { setsockopt(a0, a1, a2, a3)"
                                + " { ((a1 & 0xffffffff) == 0x1 && (a2 & 0xffffffff) == 0x3c) } },\n",
                        "\nALLOW { setsockopt(a0, a1, a2, a3) { !((a1 & 0xffffffff) == 0x1 && ",
                        " && !((a1 & 0xffffffff) == 0x1 && (a2 & 0xffffffff) == 0x3c) && ",
                        "\nALLOW { unshare(a0, a1, a2, a3) { ((a0 & 0x7e020080) == 0x0) } },\n",
                        "\nERRNO(%d) { socketpair(a0, a1, a2, a3) { !(((a0 & 0xffffffff) == 0x1)) } }"
                                .formatted(EAFNOSUPPORT))
                .endsWith("}\nUSE perigee DEFAULT ERRNO(1)\n");
    }

    @Test
    @DisplayName("is there for two kinds of machines; on others no jail starts")
    void machines() {
        assertThat(ProcessorArchitecture.of("amd64")).isEqualTo(ProcessorArchitecture.X86_64);
        assertThat(ProcessorArchitecture.of("aarch64")).isEqualTo(ProcessorArchitecture.AARCH64);
        assertThatThrownBy(() -> ProcessorArchitecture.of("riscv64"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("isolation.mode=none");
    }
}
