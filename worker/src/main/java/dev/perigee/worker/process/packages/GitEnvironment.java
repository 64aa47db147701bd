package dev.perigee.worker.process.packages;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Environment of the git that fetches repositories: HTTPS and nothing else, also where a server
 * leads elsewhere; no question at a terminal; neither configuration nor hooks nor helpers of the
 * host. Links in a repository become plain files, so that nothing in it leads to what else the
 * package manager may read. Pure.
 */
final class GitEnvironment {
    private static final String OWN = "git_";

    private static final Map<String, String> FIXED =
            Map.of(
                    "GIT_ALLOW_PROTOCOL", "https",
                    "GIT_TERMINAL_PROMPT", "0",
                    "GIT_ASKPASS", "",
                    "SSH_ASKPASS", "",
                    "GIT_CONFIG_NOSYSTEM", "1",
                    "GIT_CONFIG_GLOBAL", "/dev/null",
                    "GIT_HTTP_LOW_SPEED_LIMIT", "1000",
                    "GIT_HTTP_LOW_SPEED_TIME", "20",
                    "GIT_LFS_SKIP_SMUDGE", "1",
                    "LC_ALL", "C");

    private static final Map<String, String> CONFIGURATION = configuration();

    private GitEnvironment() {}

    private static Map<String, String> configuration() {
        var values = new LinkedHashMap<String, String>();
        values.put("core.symlinks", "false");
        values.put("core.hooksPath", "/dev/null");
        values.put("core.fsmonitor", "false");
        values.put("core.attributesFile", "/dev/null");
        values.put("credential.helper", "");
        values.put("protocol.version", "2");
        values.put("submodule.recurse", "false");
        values.put("fetch.recurseSubmodules", "false");
        values.put("gc.auto", "0");
        values.put("maintenance.auto", "false");
        values.put("advice.detachedHead", "false");
        return values;
    }

    /** Whether a server's configuration changes what git does for its wrapper. */
    static boolean isConfiguredBy(Map<String, String> environment) {
        return environment.keySet().stream()
                .anyMatch(name -> name.toLowerCase(Locale.ROOT).startsWith(OWN));
    }

    /**
     * What git gets.
     *
     * @param environment what an installation sees; of it counts how hosts are reached
     */
    static Map<String, String> of(Map<String, String> environment) {
        var made = new TreeMap<String, String>();
        for (var entry : environment.entrySet()) {
            var name = entry.getKey().toLowerCase(Locale.ROOT);
            if (name.equals("path") || (name.endsWith("_proxy") && !name.startsWith("npm_"))) {
                made.put(entry.getKey(), entry.getValue());
            } else if (name.equals("ssl_cert_file")) {
                made.put("GIT_SSL_CAINFO", entry.getValue());
            } else if (name.equals("ssl_cert_dir")) {
                made.put("GIT_SSL_CAPATH", entry.getValue());
            }
        }
        made.putAll(FIXED);
        int count = 0;
        for (var entry : CONFIGURATION.entrySet()) {
            made.put("GIT_CONFIG_KEY_" + count, entry.getKey());
            made.put("GIT_CONFIG_VALUE_" + count, entry.getValue());
            count++;
        }
        made.put("GIT_CONFIG_COUNT", Integer.toString(count));
        return made;
    }

    /**
     * What a build gets that asks git for its version: the repository is its own, whichever user
     * fetched it.
     */
    static Map<String, String> ofBuilds() {
        return Map.of(
                "GIT_CONFIG_NOSYSTEM", "1",
                "GIT_CONFIG_GLOBAL", "/dev/null",
                "GIT_CONFIG_COUNT", "1",
                "GIT_CONFIG_KEY_0", "safe.directory",
                "GIT_CONFIG_VALUE_0", "*");
    }
}
