package dev.perigee.local.connect;

import dev.perigee.protocol.json.RawJson;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The tools that a client is offered at a time, in the order of their names. Immutable. */
final class Offer {
    /** Bytes of tools beyond which a page has no more, in UTF-8; one tool may be larger. */
    static final int PAGE_BYTES = 4 << 20;

    private final NavigableMap<String, OfferedTool> byName;
    private final @Nullable OneServer one;

    /**
     * A tool.
     *
     * @param name as the client calls it
     * @param serverSlug of the server that has it
     * @param installationId of the installation that has it
     * @param tool its name there
     * @param described the JSON of {@code tools/list}
     */
    record OfferedTool(
            String name,
            String serverSlug,
            String installationId,
            String tool,
            RawJson described) {}

    /**
     * Tools that follow each other.
     *
     * @param nextCursor null where these are the last
     */
    record Page(List<RawJson> tools, @Nullable String nextCursor) {}

    /**
     * An offer of these.
     *
     * @param tools with names unlike each other's
     */
    Offer(Collection<OfferedTool> tools) {
        this(tools, null);
    }

    /**
     * An offer of these.
     *
     * @param tools with names unlike each other's
     * @param one the server whose prompts and resources are offered, too; null for none
     */
    Offer(Collection<OfferedTool> tools, @Nullable OneServer one) {
        this.one = one;
        var sorted = new TreeMap<String, OfferedTool>();
        tools.forEach(tool -> sorted.put(tool.name(), tool));
        byName = Collections.unmodifiableNavigableMap(sorted);
    }

    @Nullable OfferedTool find(String name) {
        return byName.get(name);
    }

    @Nullable OneServer one() {
        return one;
    }

    int size() {
        return byName.size();
    }

    /**
     * The tools behind a name, which need not be there any more.
     *
     * @param cursor of the page before; null for the first
     */
    Page page(@Nullable String cursor) {
        var rest = cursor == null ? byName : byName.tailMap(cursor, false);
        var tools = new ArrayList<RawJson>();
        long bytes = 0;
        String last = null;
        for (var tool : rest.values()) {
            bytes += tool.described().size();
            if (last != null && bytes > PAGE_BYTES) {
                return new Page(tools, last);
            }
            tools.add(tool.described());
            last = tool.name();
        }
        return new Page(tools, null);
    }

    /** Whether the tools are the same. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Offer that && byName.equals(that.byName);
    }

    @Override
    public int hashCode() {
        return byName.hashCode();
    }
}
