package dev.perigee.worker.process.isolation;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A system call whose arguments decide whether it is allowed.
 *
 * @param name the same on every machine
 * @param refused what is refused before all else, each with an answer of its own
 * @param allowed when all conditions of one of these hold; never when there is none
 * @param errno what a call answers that is neither
 */
record SyscallRule(String name, List<Refusal> refused, List<List<Condition>> allowed, int errno) {
    static final int EPERM = 1;

    /** The call seems to have succeeded, and nothing was done. */
    static final int NOTHING = 0;

    static final int EINVAL = 22;
    static final int ENOSYS = 38;
    private static final int ENOPROTOOPT = 92;
    private static final int EOPNOTSUPP = 95;
    private static final int EAFNOSUPPORT = 97;

    /** CLONE_NEW… of every namespace but that of time, whose bit is part of a signal in clone. */
    private static final int NAMESPACES = 0x7e02_0000;

    private static final int TIME_NAMESPACE = 0x80;
    private static final int TIOCSTI = 0x5412;
    private static final int TIOCLINUX = 0x541c;
    private static final int GROW = 0;

    /** FALLOC_FL_PUNCH_HOLE with FALLOC_FL_KEEP_SIZE. */
    private static final int PUNCH_HOLE = 3;

    private static final int FS_IOC_RESVSP = 0x4030_5828;
    private static final int FS_IOC_RESVSP64 = 0x4030_582a;
    private static final int FS_IOC_ZERO_RANGE = 0x4030_5839;
    private static final int FS_IOC_FSSETXATTR = 0x401c_5820;
    private static final int AF_UNIX = 1;
    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;
    private static final int AF_NETLINK = 16;
    private static final int NETLINK_ROUTE = 0;
    private static final int MAP_SHARED = 0x1;
    private static final int MAP_ANONYMOUS = 0x20;
    private static final int MAP_HUGETLB = 0x4_0000;
    private static final int F_SETPIPE_SZ = 1031;
    private static final int SOL_SOCKET = 1;
    private static final int SO_SNDBUF = 7;
    private static final int SO_RCVBUF = 8;
    private static final int SO_RCVLOWAT = 18;
    private static final int SO_ATTACH_FILTER = 26;
    private static final int SO_ATTACH_BPF = 50;
    private static final int SO_ATTACH_REUSEPORT_CBPF = 51;
    private static final int SO_ATTACH_REUSEPORT_EBPF = 52;
    private static final int SO_ZEROCOPY = 60;
    private static final int SO_RESERVE_MEM = 73;
    private static final int PR_SET_SECCOMP = 22;
    private static final int SECCOMP_SET_MODE_FILTER = 1;
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_ZEROCOPY_RECEIVE = 35;

    /** The usual one of a kind, ICMP, TCP, UDP, and ICMP of IPv6. */
    private static final List<Integer> INTERNET_PROTOCOLS = List.of(0, 1, 6, 17, 58);

    private static final int DEFAULT_PERSONALITY = 0;
    private static final int ASK_PERSONALITY = -1;

    /**
     * Condition on an argument, of which the lower 32 bits count: the kernel reads no more of
     * these.
     *
     * @param argument its position, from 0
     * @param mask the bits that are compared
     * @param equal false when it must be anything but the value
     */
    record Condition(int argument, int mask, int value, boolean equal) {

        static Condition is(int argument, int value) {
            return new Condition(argument, -1, value, true);
        }

        static Condition isNot(int argument, int value) {
            return new Condition(argument, -1, value, false);
        }

        static Condition without(int argument, int bits) {
            return new Condition(argument, bits, 0, true);
        }
    }

    /**
     * Refusal with an errno of its own.
     *
     * @param conditions that all hold
     * @param errno what the call answers then
     */
    record Refusal(List<Condition> conditions, int errno) {}

    SyscallRule(String name, List<List<Condition>> allowed, int errno) {
        this(name, List.of(), allowed, errno);
    }

    /**
     * All of them. The flags of clone3 are in memory, where no filter sees them: without it C
     * libraries use clone. Libraries do without io_uring where there is none, and without shared
     * memory, semaphores and messages of System V: those are memory of no process, which nothing
     * ends. Netlink is how programs list the addresses of their host; its other protocols configure
     * the system.
     *
     * <p>Nor are there rules of landlock, of which a descriptor may have as many as it likes, nor
     * memfd_create, whose memory need not be mapped by any process and whose descriptor may be
     * under way in a socket, where nobody sees it. For the same reason memory that processes share
     * must be a file: pages of a shared anonymous mapping that a program gives up stay until all of
     * it is unmapped, and are nobody's meanwhile. Nor may the host's huge pages be had, which it
     * keeps for somebody. Pipes and sockets keep the size that the kernel gives them, so that the
     * worker knows the most that one holds: a larger pipe is refused as it is to a user who has
     * many, and sockets take a size for a hint anyway.
     *
     * <p>Nor may pages get into them that nobody copied: one byte of a file keeps all of the folio
     * that it is in, up to 2 MiB, so that a pipe holds 32 MiB. Copying programs take EINVAL for a
     * file that cannot be spliced, and read and write. SO_ZEROCOPY does the same with pages of a
     * process, which it can give up meanwhile, and SO_RESERVE_MEM takes memory before there is
     * anything to keep in it; both are refused as kernels do that do not know them, so that
     * programs wait for no word of what was sent. What TCP gives by mapping instead of copying is
     * memory of a process that it counts as a file's. And of asynchronous I/O of old the whole
     * system has so many requests, which one program could take.
     *
     * <p>Nor may programs bring filters of their own, of system calls or sockets: seven of the
     * longest take a megabyte of each process that nobody counts, and all of the host's share in
     * one amount of memory for translated filters, without which no jail starts.
     *
     * <p>Extended attributes of files are data that no file's length shows, up to gigabytes of one
     * file: they cannot be written, as on a file system that has none. Nor can space be taken that
     * lies behind a file's end, by whichever call.
     */
    static final List<SyscallRule> ALL =
            List.of(
                    new SyscallRule("clone3", List.of(), ENOSYS),
                    new SyscallRule("io_uring_setup", List.of(), ENOSYS),
                    new SyscallRule("io_setup", List.of(), ENOSYS),
                    new SyscallRule("landlock_create_ruleset", List.of(), ENOSYS),
                    new SyscallRule("memfd_create", List.of(), ENOSYS),
                    new SyscallRule("msgget", List.of(), ENOSYS),
                    new SyscallRule("semget", List.of(), ENOSYS),
                    new SyscallRule("shmget", List.of(), ENOSYS),
                    new SyscallRule("fsetxattr", List.of(), EOPNOTSUPP),
                    new SyscallRule("lsetxattr", List.of(), EOPNOTSUPP),
                    new SyscallRule("setxattr", List.of(), EOPNOTSUPP),
                    new SyscallRule("setxattrat", List.of(), EOPNOTSUPP),
                    new SyscallRule("sendfile", List.of(), EINVAL),
                    new SyscallRule("splice", List.of(), EINVAL),
                    new SyscallRule("tee", List.of(), EINVAL),
                    new SyscallRule(
                            "getsockopt",
                            List.of(
                                    List.of(Condition.isNot(1, IPPROTO_TCP)),
                                    List.of(Condition.isNot(2, TCP_ZEROCOPY_RECEIVE))),
                            ENOPROTOOPT),
                    all("clone", EPERM, Condition.without(0, NAMESPACES)),
                    all("unshare", EPERM, Condition.without(0, NAMESPACES | TIME_NAMESPACE)),
                    all(
                            "ioctl",
                            EPERM,
                            Condition.isNot(1, TIOCSTI),
                            Condition.isNot(1, TIOCLINUX),
                            Condition.isNot(1, FS_IOC_RESVSP),
                            Condition.isNot(1, FS_IOC_RESVSP64),
                            Condition.isNot(1, FS_IOC_ZERO_RANGE),
                            Condition.isNot(1, FS_IOC_FSSETXATTR)),
                    new SyscallRule(
                            "fallocate",
                            List.of(
                                    List.of(Condition.is(1, GROW)),
                                    List.of(Condition.is(1, PUNCH_HOLE))),
                            EOPNOTSUPP),
                    new SyscallRule(
                            "mmap",
                            List.of(
                                    List.of(Condition.without(3, MAP_SHARED | MAP_HUGETLB)),
                                    List.of(Condition.without(3, MAP_ANONYMOUS | MAP_HUGETLB))),
                            EPERM),
                    all("fcntl", EPERM, Condition.isNot(1, F_SETPIPE_SZ)),
                    new SyscallRule(
                            "setsockopt",
                            Stream.of(
                                            SO_ATTACH_FILTER,
                                            SO_ATTACH_BPF,
                                            SO_ATTACH_REUSEPORT_CBPF,
                                            SO_ATTACH_REUSEPORT_EBPF,
                                            SO_ZEROCOPY,
                                            SO_RESERVE_MEM)
                                    .map(SyscallRule::socketOption)
                                    .toList(),
                            List.of(
                                    List.of(Condition.isNot(1, SOL_SOCKET)),
                                    List.of(
                                            Condition.isNot(2, SO_SNDBUF),
                                            Condition.isNot(2, SO_RCVBUF),
                                            Condition.isNot(2, SO_RCVLOWAT))),
                            NOTHING),
                    all("prctl", EINVAL, Condition.isNot(0, PR_SET_SECCOMP)),
                    all("seccomp", EINVAL, Condition.isNot(0, SECCOMP_SET_MODE_FILTER)),
                    new SyscallRule(
                            "personality",
                            List.of(
                                    List.of(Condition.is(0, DEFAULT_PERSONALITY)),
                                    List.of(Condition.is(0, ASK_PERSONALITY))),
                            EPERM),
                    new SyscallRule("socket", sockets(), EAFNOSUPPORT),
                    all("socketpair", EAFNOSUPPORT, Condition.is(0, AF_UNIX)));

    private static Refusal socketOption(int option) {
        return new Refusal(
                List.of(Condition.is(1, SOL_SOCKET), Condition.is(2, option)), ENOPROTOOPT);
    }

    /** Other protocols of the internet are seldom used, and loaded for who asks for them. */
    private static List<List<Condition>> sockets() {
        var allowed = new ArrayList<List<Condition>>();
        allowed.add(List.of(Condition.is(0, AF_UNIX)));
        allowed.add(List.of(Condition.is(0, AF_NETLINK), Condition.is(2, NETLINK_ROUTE)));
        for (int family : new int[] {AF_INET, AF_INET6}) {
            for (int protocol : INTERNET_PROTOCOLS) {
                allowed.add(List.of(Condition.is(0, family), Condition.is(2, protocol)));
            }
        }
        return List.copyOf(allowed);
    }

    private static SyscallRule all(String name, int errno, Condition... conditions) {
        return new SyscallRule(name, List.of(List.of(conditions)), errno);
    }
}
