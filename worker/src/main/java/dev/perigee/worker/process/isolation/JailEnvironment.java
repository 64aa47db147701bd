package dev.perigee.worker.process.isolation;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The environment of a program in a jail: what the jail gives, what the operator passes on, and
 * what is configured, but for names that decide what is loaded or run. Those are dropped not only
 * for the program's sake: the jail's own command gets the same environment before it has closed
 * itself in. Pure.
 */
final class JailEnvironment {
    static final String PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

    /** Only such names pass unchanged through a shell, which some jails begin as. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    /** Of the dynamic linker, the C library, shells, Perl, and Perigee itself. */
    private static final List<String> PREFIXES =
            List.of("LD_", "DYLD_", "GLIBC_", "MALLOC_", "BASH_", "PERL", "PERIGEE_");

    private static final Set<String> NAMES =
            Set.of(
                    // What programs are found.
                    "PATH",
                    // The C library: modules to load, files to read.
                    "GCONV_PATH",
                    "GETCONF_DIR",
                    "HOSTALIASES",
                    "LOCALDOMAIN",
                    "LOCPATH",
                    "NIS_PATH",
                    "NLSPATH",
                    "RESOLV_HOST_CONF",
                    "RES_OPTIONS",
                    "TZDIR",
                    // Shells: files to run first, options, how words are split.
                    "ENV",
                    "SHELLOPTS",
                    "BASHOPTS",
                    "PS4",
                    "IFS",
                    "OPTIND",
                    "CDPATH",
                    // Interpreters: options, and code to load first.
                    "NODE_OPTIONS",
                    "NODE_PATH",
                    "NODE_REPL_EXTERNAL_MODULE",
                    "PYTHONPATH",
                    "PYTHONSTARTUP",
                    "PYTHONHOME",
                    "PYTHONINSPECT",
                    "PYTHONBREAKPOINT",
                    "PYTHONWARNINGS",
                    "RUBYOPT",
                    "RUBYLIB",
                    "JAVA_TOOL_OPTIONS",
                    "JDK_JAVA_OPTIONS",
                    "_JAVA_OPTIONS");

    private JailEnvironment() {}

    static Map<String, String> of(JailPolicy policy, ServerProgram program, HomePlace home) {
        var environment = new TreeMap<>(given(program.runtime(), home.inside().toString()));
        environment.putAll(policy.environment());
        environment.putAll(program.environment());
        environment.keySet().removeIf(JailEnvironment::isDangerous);
        environment.put("PATH", PATH);
        return environment;
    }

    /** Of the configured names, those that the program does not get. */
    static Set<String> dropped(ServerProgram program) {
        var names = new TreeSet<>(program.environment().keySet());
        names.removeIf(name -> !isDangerous(name));
        return names;
    }

    private static boolean isDangerous(String name) {
        return NAMES.contains(name)
                || !NAME.matcher(name).matches()
                || PREFIXES.stream().anyMatch(name::startsWith);
    }

    private static Map<String, String> given(ServerRuntime runtime, String home) {
        var cache = home + "/.cache";
        var common = Map.of("HOME", home, "LANG", "C.UTF-8", "XDG_CACHE_HOME", cache);
        var environment = new TreeMap<>(common);
        environment.putAll(
                switch (runtime) {
                    case NODE ->
                            Map.of(
                                    "npm_config_cache",
                                    home + "/.npm",
                                    "npm_config_update_notifier",
                                    "false");
                    case PYTHON ->
                            Map.of(
                                    "PIP_CACHE_DIR", cache + "/pip",
                                    "UV_CACHE_DIR", cache + "/uv");
                });
        return environment;
    }
}
