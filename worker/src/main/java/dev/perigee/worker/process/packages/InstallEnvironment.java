package dev.perigee.worker.process.packages;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Part of a server's configured environment that its installation sees. The server's own secrets
 * are none of a package manager's business. It needs, and gets: where programs and its own
 * configuration are ({@code PATH}, {@code HOME}), how to reach a registry (proxies, certificates)
 * and its own configuration ({@code npm_config_*} or {@code UV_*}, credentials of a registry among
 * them). Pure.
 */
final class InstallEnvironment {
    private static final Set<String> COMMON =
            Set.of(
                    "path",
                    "home",
                    "http_proxy",
                    "https_proxy",
                    "all_proxy",
                    "no_proxy",
                    "node_extra_ca_certs",
                    "ssl_cert_file",
                    "ssl_cert_dir");
    private static final String NPM = "npm_config_";
    private static final String UV = "uv_";

    /**
     * Configuration that makes the wrapper do something else than install a package and run it, or
     * that is in files, which installations do not see.
     */
    private static final Set<String> ELSEWHERE =
            Set.of(
                    "npm_config_call",
                    "npm_config_dry_run",
                    "npm_config_globalconfig",
                    "npm_config_global",
                    "npm_config_include_workspace_root",
                    "npm_config_location",
                    "npm_config_package",
                    "npm_config_package_lock_only",
                    "npm_config_prefix",
                    "npm_config_script_shell",
                    "npm_config_userconfig",
                    "npm_config_workspace",
                    "npm_config_workspaces",
                    "uv_config_file",
                    "uv_isolated",
                    "uv_tool_bin_dir",
                    "uv_tool_dir");

    private InstallEnvironment() {}

    /** Whether any package manager reads a variable of this name. */
    static boolean reads(String variable) {
        var name = variable.toLowerCase(Locale.ROOT).replace('-', '_');
        return name.startsWith(NPM) || name.startsWith(UV) || COMMON.contains(name);
    }

    /** What to hand over; null when the environment makes the meaning of the wrapper uncertain. */
    static @Nullable Map<String, String> of(
            PackageManager manager, Map<String, String> configured) {
        var own =
                switch (manager) {
                    case NPM -> NPM;
                    case UV -> UV;
                };
        var needed = new TreeMap<String, String>();
        for (var entry : configured.entrySet()) {
            var name = entry.getKey().toLowerCase(Locale.ROOT).replace('-', '_');
            if (name.startsWith(own) && ELSEWHERE.contains(name)) {
                return null;
            }
            if (name.startsWith(own) || COMMON.contains(name)) {
                needed.put(entry.getKey(), entry.getValue());
            }
        }
        return needed;
    }
}
