package dev.perigee.local.connect;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Names under which tools of several servers are offered: unique, and of the letters and the length
 * that MCP and the models' interfaces take. Pure.
 *
 * <p>The first of these that is such a name and nobody else's: {@code server__tool}, {@code
 * server-installation__tool}, and either one shortened with a digest. Where two installations of
 * one server are offered the first is not used at all, so that a name never changes from one
 * installation's tool to the other's. A server that names its tools after another's changes the
 * other's name, and gets none of its calls.
 */
final class ToolNames {
    /** Longest name, in characters: what the interfaces of models take. */
    static final int LONGEST = 64;

    private static final Pattern VALID = Pattern.compile("[A-Za-z0-9_-]{1," + LONGEST + "}");
    private static final Pattern OTHERS = Pattern.compile("[^A-Za-z0-9_-]");
    private static final int DIGEST_CHARACTERS = 12;
    private static final int FORMS = 3;

    /** A tool by where it is. */
    record Place(String serverSlug, String installationId, String tool) {}

    private final boolean ofOneServer;

    /**
     * Names of tools.
     *
     * @param ofOneServer true where there is one installation, so that a tool's own name will do
     */
    ToolNames(boolean ofOneServer) {
        this.ofOneServer = ofOneServer;
    }

    /** Names by tool; one that has none is left out, which takes two equal digests. */
    Map<Place, String> of(Collection<Place> tools) {
        var several = serversInstalledTwice(tools);
        var forms = new LinkedHashMap<Place, Integer>();
        tools.forEach(tool -> forms.put(tool, several.contains(tool.serverSlug()) ? 1 : 0));
        while (true) {
            var names = new LinkedHashMap<Place, String>();
            var count = new HashMap<String, Integer>();
            for (var each : forms.entrySet()) {
                var name = name(each.getKey(), each.getValue());
                if (name != null) {
                    names.put(each.getKey(), name);
                    count.merge(name, 1, Integer::sum);
                }
            }
            boolean changed = false;
            for (var each : forms.entrySet()) {
                var name = names.get(each.getKey());
                boolean isFree = name != null && count.getOrDefault(name, 0) == 1;
                if (!isFree && each.getValue() < FORMS - 1) {
                    each.setValue(each.getValue() + 1);
                    changed = true;
                }
            }
            if (!changed) {
                names.values().removeIf(name -> count.getOrDefault(name, 0) > 1);
                return names;
            }
        }
    }

    private static Set<String> serversInstalledTwice(Collection<Place> tools) {
        var installations = new HashMap<String, String>();
        var several = new HashSet<String>();
        for (var tool : tools) {
            var other = installations.putIfAbsent(tool.serverSlug(), tool.installationId());
            if (other != null && !other.equals(tool.installationId())) {
                several.add(tool.serverSlug());
            }
        }
        return several;
    }

    /** Null where this form makes no valid name. */
    private @Nullable String name(Place tool, int form) {
        var own = ofOneServer ? tool.tool() : tool.serverSlug() + "__" + tool.tool();
        return switch (form) {
            case 0 -> valid(own);
            case 1 ->
                    ofOneServer
                            ? null
                            : valid(
                                    tool.serverSlug()
                                            + "-"
                                            + tool.installationId()
                                            + "__"
                                            + tool.tool());
            default -> shortened(own) + "_" + digest(tool);
        };
    }

    private static @Nullable String valid(String name) {
        return VALID.matcher(name).matches() ? name : null;
    }

    private static String shortened(String name) {
        var letters = OTHERS.matcher(name).replaceAll("_");
        return letters.substring(0, Math.min(letters.length(), LONGEST - DIGEST_CHARACTERS - 1));
    }

    private static String digest(Place tool) {
        try {
            var all =
                    String.join("\n", tool.serverSlug(), tool.installationId(), tool.tool())
                            .getBytes(StandardCharsets.UTF_8);
            var digest = MessageDigest.getInstance("SHA-256").digest(all);
            return HexFormat.of().formatHex(digest).substring(0, DIGEST_CHARACTERS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // Every Java has it.
        }
    }
}
