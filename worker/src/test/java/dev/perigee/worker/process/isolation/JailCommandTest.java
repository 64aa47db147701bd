package dev.perigee.worker.process.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The command lines of both kinds of jails, word by word. */
final class JailCommandTest {
    private static final SystemPaths SYSTEM =
            new SystemPaths(
                    List.of(Path.of("/usr"), Path.of("/etc")),
                    List.of(new Submount(Path.of("/usr/share/x"), Path.of("/usr/share/x"))),
                    List.of(Path.of("/etc/shadow"), Path.of("/etc/key")),
                    List.of(Path.of("/etc/ssh")));
    private static final SyscallFiles SYSCALLS =
            new SyscallFiles(Path.of("/jails/calls.bpf"), Path.of("/jails/calls.kafel"));
    private static final Bubblewrap BUBBLEWRAP =
            new Bubblewrap(Path.of("/usr/bin/bwrap"), Path.of("/usr/bin/prlimit"), true, SYSCALLS);
    private static final Nsjail NSJAIL =
            new Nsjail(
                    Path.of("/usr/bin/nsjail"),
                    Path.of("/usr/bin/sh"),
                    Path.of("/usr/bin/env"),
                    SYSCALLS);

    private static JailPolicy policy(Map<String, String> settings) {
        return IsolationSettings.policy(IsolationSettings.SCHEMA.read(settings), Map.of());
    }

    private static JailedProgram program(boolean app) {
        return JailedProgram.of(
                new ServerProgram(
                        new Home.OfInstallation("t 1", "u", "i"),
                        ServerRuntime.NODE,
                        List.of("node", "--", ";"),
                        Map.of("KEY", "s3cret"),
                        app,
                        List.of(
                                new Mount(Path.of("/p/made"), Path.of("/package/made"), false),
                                new Mount(Path.of("/p/w"), Path.of("/package/w"), true))),
                new HomePlace(Path.of("/mcp-cache/homes/i/node"), Path.of("/home/node")));
    }

    private static String line(Jail jail, Map<String, String> settings, boolean app) {
        var log = new JailLog(Path.of("/logs/1.log"));
        return String.join(" ", jail.command(policy(settings), SYSTEM, program(app), log));
    }

    private static String mounts(Map<String, String> settings, boolean app) {
        return NSJAIL.configuration(policy(settings), SYSTEM, program(app));
    }

    @Test
    @DisplayName("PRO-10 to PRO-25: bubblewrap, with the limits inside")
    void bubblewrap() {
        assertThat(line(BUBBLEWRAP, Map.of(), false))
                .isEqualTo(
                        "/bin/sh -c exec 9<\"$1\" && shift && exec \"$@\" perigee-jail"
                                + " /jails/calls.bpf /usr/bin/bwrap --seccomp 9 --unshare-user --disable-userns --unshare-pid --unshare-ipc"
                                + " --unshare-uts --unshare-cgroup-try --uid 1000 --gid 1000"
                                + " --hostname mcp-t-1 --die-with-parent --new-session"
                                + " --cap-drop ALL --ro-bind /usr /usr --ro-bind /etc /etc"
                                + " --proc /proc --remount-ro /proc --dev /dev --dev-bind /dev/full /dev/zero"
                                + " --size 104857600 --tmpfs /dev/shm"
                                + " --remount-ro /dev --size 104857600 --tmpfs /tmp"
                                + " --ro-bind /dev/null /etc/shadow --ro-bind /dev/null"
                                + " /etc/key --size 4096 --tmpfs /etc/ssh"
                                + " --remount-ro /etc/ssh --bind /mcp-cache/homes/i/node /home/node"
                                + " --ro-bind /p/made /package/made --bind /p/w /package/w"
                                + " --remount-ro / --chdir /home/node -- /usr/bin/prlimit"
                                + " --as=unlimited --cpu=60 --nproc=1000 --nofile=1024"
                                + " --fsize=52428800 --core=0 -- node -- ;");
    }

    @Test
    void bubblewrapByOtherSettings() {
        var settings =
                Map.of(
                        "isolation.network", "false",
                        "isolation.cpu-time", "0",
                        "isolation.read-only-paths", "/opt/node");
        assertThat(line(BUBBLEWRAP, settings, true))
                .contains(
                        "--unshare-net",
                        "--cpu=unlimited",
                        "--ro-bind /opt/node /opt/node",
                        "--size 314572800 --tmpfs /app",
                        "--chdir /app");
        var old = new Bubblewrap(BUBBLEWRAP.bwrap(), BUBBLEWRAP.prlimit(), false, SYSCALLS);
        assertThat(line(old, Map.of(), false)).doesNotContain("--disable-userns");
        assertThat(old.unenforced()).isNotEmpty();
    }

    @Test
    @DisplayName("PRO-10 to PRO-25: nsjail, as the source document has it")
    void nsjail() {
        assertThat(line(NSJAIL, Map.of(), false))
                .isEqualTo(
                        "/usr/bin/nsjail --config /logs/1.log.config -Mo -q --log /logs/1.log"
                                + " --time_limit 0 --nice_level 10"
                                + " --keep_env --disable_clone_newnet --user 1000 --group 1000"
                                + " --hostname mcp-t-1 --rlimit_as inf --rlimit_cpu 60"
                                + " --rlimit_nproc 1000 --rlimit_nofile 1024 --rlimit_fsize 50"
                                + " --rlimit_core 0 --seccomp_policy /jails/calls.kafel"
                                + " --cwd /home/node"
                                + " -- /usr/bin/sh -c exec 3>&2 2>/dev/null;"
                                + " (exec \"$@\" 2>&3 3>&-); exit $? sh"
                                + " /usr/bin/env node -- ;");
        assertThat(mounts(Map.of(), false))
                .isEqualTo(
                        """
                        mount_proc: true
                        mount { src: "/usr" dst: "/usr" is_bind: true rw: false nosuid: true nodev: true }
                        mount { src: "/etc" dst: "/etc" is_bind: true rw: false nosuid: true nodev: true }
                        mount { src: "/dev/null" dst: "/dev/null" is_bind: true rw: false nosuid: true }
                        mount { src: "/dev/full" dst: "/dev/full" is_bind: true rw: false nosuid: true }
                        mount { src: "/dev/random" dst: "/dev/random" is_bind: true rw: false nosuid: true }
                        mount { src: "/dev/urandom" dst: "/dev/urandom" is_bind: true rw: false nosuid: true }
                        mount { src: "/dev/tty" dst: "/dev/tty" is_bind: true rw: false nosuid: true }
                        mount { src: "/dev/full" dst: "/dev/zero" is_bind: true rw: false nosuid: true }
                        mount { src: "/proc/self/fd" dst: "/dev/fd" is_symlink: true }
                        mount { src: "/proc/self/fd/0" dst: "/dev/stdin" is_symlink: true }
                        mount { src: "/proc/self/fd/1" dst: "/dev/stdout" is_symlink: true }
                        mount { src: "/proc/self/fd/2" dst: "/dev/stderr" is_symlink: true }
                        mount { src: "none" dst: "/dev/pts" fstype: "devpts" options: "newinstance,ptmxmode=0666,mode=620" rw: true nosuid: true }
                        mount { src: "pts/ptmx" dst: "/dev/ptmx" is_symlink: true }
                        mount { src: "none" dst: "/dev/shm" fstype: "tmpfs" options: "size=104857600" rw: true nosuid: true nodev: true }
                        mount { src: "none" dst: "/tmp" fstype: "tmpfs" options: "size=104857600" rw: true nosuid: true nodev: true }
                        mount { src: "/usr/share/x" dst: "/usr/share/x" is_bind: true rw: false nosuid: true nodev: true }
                        mount { src: "/dev/null" dst: "/etc/shadow" is_bind: true is_dir: true rw: false nosuid: true nodev: true }
                        mount { src: "/dev/null" dst: "/etc/key" is_bind: true is_dir: true rw: false nosuid: true nodev: true }
                        mount { src: "none" dst: "/etc/ssh" fstype: "tmpfs" options: "size=4096" rw: false nosuid: true nodev: true }
                        mount { src: "/mcp-cache/homes/i/node" dst: "/home/node" is_bind: true rw: true nosuid: true nodev: true }
                        mount { src: "/p/made" dst: "/package/made" is_bind: true rw: false nosuid: true nodev: true }
                        mount { src: "/p/w" dst: "/package/w" is_bind: true rw: true nosuid: true nodev: true }
                        """);
        assertThat(NSJAIL.unenforced()).isEmpty();
    }

    @Test
    void nsjailByOtherSettings() {
        var settings =
                Map.of(
                        "isolation.network", "false",
                        "isolation.cpu-time", "0",
                        "isolation.max-file-size", "1",
                        "isolation.read-only-paths", "/opt/node");
        assertThat(line(NSJAIL, settings, true))
                .contains("--rlimit_cpu inf", "--rlimit_fsize 1 ", "--cwd /app")
                .doesNotContain("newnet");
        assertThat(mounts(settings, true))
                .contains(
                        "src: \"/opt/node\" dst: \"/opt/node\" is_bind: true rw: false",
                        "dst: \"/app\" fstype: \"tmpfs\" options: \"size=314572800\" rw: true");
    }

    @Test
    @DisplayName("TEN-17: no path of nsjail's mounts is more than a path")
    void quotedPaths() {
        var strange = "/opt/a:b \"} mount { src: \\ \n\u00fc";
        assertThat(mounts(Map.of("isolation.read-only-paths", strange), false))
                .contains("{ src: \"/opt/a:b \\042} mount { src: \\134 \\012\u00fc\" dst: ");
    }

    @Test
    @DisplayName("PRO-102: no value of the environment is an argument")
    void showsNoSecret() {
        assertThat(line(BUBBLEWRAP, Map.of(), false)).doesNotContain("s3cret");
        assertThat(line(NSJAIL, Map.of(), false)).doesNotContain("s3cret");
        assertThat(mounts(Map.of(), false)).doesNotContain("s3cret");
    }

    @Test
    @DisplayName("decision 28, the jail's numbers")
    void defaults() {
        var policy = policy(Map.of());
        assertThat(policy.network()).isEqualTo(NetworkMode.POLICY);
        assertThat(policy(Map.of("isolation.network", "true")).network())
                .isEqualTo(NetworkMode.HOST);
        assertThat(policy.cpuTime()).hasSeconds(60);
        assertThat(policy.processes()).isEqualTo(1000);
        assertThat(policy.openFiles()).isEqualTo(1024);
        assertThat(policy.fileBytes()).isEqualTo(50 << 20);
        assertThat(policy.tmpBytes()).isEqualTo(100 << 20);
        assertThat(policy.appBytes()).isEqualTo(300 << 20);
        assertThat(policy.memoryBytes()).isEqualTo(512 << 20);
        assertThat(policy.readOnly()).isEmpty();
        assertThat(policy.hidden()).contains(Path.of("/etc/shadow"), Path.of("/etc/perigee"));
    }
}
