package dev.perigee.local.connect;

import dev.perigee.local.connect.Offer.OfferedTool;
import dev.perigee.local.connect.ToolNames.Place;
import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.EventBody.Catalog;
import dev.perigee.protocol.event.EventBody.ToolsDiscovered;
import dev.perigee.protocol.event.EventOrigin;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tools of one user's servers, as the compacted topics last said: which there are by {@code tools},
 * in their servers' words by {@code catalog}, less those that are disabled. Holds {@link
 * #MOST_BYTES} of them; a server whose tools are more is left out, and said so. For one thread.
 */
final class Catalogues {
    static final long MOST_BYTES = 32 << 20;

    private final ConnectOptions options;
    private final Consumer<String> note;
    private final Map<String, Server> servers = new TreeMap<>();

    /** Fields by which a record is somebody else's, read before all others. */
    private record Owner(
            @Nullable String teamId,
            @Nullable String userId,
            @Nullable String installationId,
            @Nullable String serverSlug) {}

    private static final class Server {
        private final String slug;
        private final String installationId;
        private @Nullable Map<String, RawJson> listed;
        private @Nullable Map<String, RawJson> catalogued;
        private @Nullable OneServer all;
        private Set<String> disabled = Set.of();

        Server(EventOrigin origin) {
            slug = origin.serverSlug();
            installationId = origin.installationId();
        }

        /** Entries by the tools' own names. */
        Map<String, RawJson> tools() {
            var words = catalogued == null ? Map.<String, RawJson>of() : catalogued;
            if (listed == null) {
                return words;
            }
            var tools = new LinkedHashMap<String, RawJson>();
            listed.forEach((name, entry) -> tools.put(name, words.getOrDefault(name, entry)));
            return tools;
        }

        long bytes() {
            return bytes(listed) + bytes(catalogued) + (all == null ? 0 : all.bytes());
        }

        private static long bytes(@Nullable Map<String, RawJson> tools) {
            return tools == null ? 0 : tools.values().stream().mapToLong(RawJson::size).sum();
        }
    }

    /**
     * Nothing yet.
     *
     * @param note takes what only a person can act on
     */
    Catalogues(ConnectOptions options, Consumer<String> note) {
        this.options = options;
        this.note = note;
    }

    /**
     * A record of {@code tools} or {@code catalog}.
     *
     * @param value null of a tombstone
     * @return whether the tools may be others now
     */
    boolean take(String processId, byte @Nullable [] value) {
        if (value == null) {
            return servers.remove(processId) != null;
        }
        try {
            return isOurs(value) && take(processId, Event.read(value));
        } catch (InvalidRecordException e) {
            return false; // Of a newer version or another program.
        }
    }

    /** Whether the record is about the user, and the installation that is wanted. */
    boolean isOurs(byte[] value) {
        var owner = Json.read(value, Owner.class);
        return options.teamId().equals(owner.teamId())
                && options.userId().equals(owner.userId())
                && (options.installation() == null
                        || options.installation().equals(owner.installationId()))
                && (options.server() == null || options.server().equals(owner.serverSlug()));
    }

    private boolean take(String processId, Event event) {
        return switch (event.body()) {
            case ToolsDiscovered discovered -> {
                var tools = new LinkedHashMap<String, RawJson>();
                for (var tool : discovered.tools()) {
                    tools.put(tool.toolName(), DescribedTool.entry(tool));
                }
                server(processId, event.origin()).listed = tools;
                yield kept(processId);
            }
            case Catalog catalog -> {
                var tools = new LinkedHashMap<String, RawJson>();
                for (var entry : catalog.tools()) {
                    var name = DescribedTool.nameOf(entry);
                    if (name != null) {
                        tools.putIfAbsent(name, entry);
                    }
                }
                var server = server(processId, event.origin());
                server.catalogued = tools;
                if (options.isOfOneServer()) {
                    server.all = OneServer.of(server.slug, server.installationId, catalog);
                }
                yield kept(processId);
            }
            case EventBody _ -> false;
        };
    }

    private Server server(String processId, EventOrigin origin) {
        return servers.computeIfAbsent(processId, _ -> new Server(origin));
    }

    private boolean kept(String processId) {
        if (servers.values().stream().mapToLong(Server::bytes).sum() > MOST_BYTES) {
            servers.remove(processId);
            note.accept(
                    "The tools of "
                            + processId
                            + " are left out: all together have more than "
                            + (MOST_BYTES >> 20)
                            + " MiB. --installation offers those of one.");
        }
        return true;
    }

    /** Names of all tools by installation, as they are known at this moment. */
    Map<String, Set<String>> known() {
        var known = new HashMap<String, Set<String>>();
        for (var server : servers.values()) {
            known.computeIfAbsent(server.installationId, _ -> new HashSet<>())
                    .addAll(server.tools().keySet());
        }
        return known;
    }

    /**
     * The fleet said which tools may be called. Of an installation that it names none of nothing is
     * known: its server may be away.
     *
     * @param asked what was known when it was asked: others may have come since
     * @param enabled names by installation
     * @return whether the tools may be others now
     */
    boolean enabled(Map<String, Set<String>> asked, Map<String, Set<String>> enabled) {
        boolean changed = false;
        for (var server : servers.values()) {
            var now = enabled.get(server.installationId);
            if (now != null) {
                var disabled = new HashSet<>(asked.getOrDefault(server.installationId, Set.of()));
                disabled.removeAll(now);
                changed |= !disabled.equals(server.disabled);
                server.disabled = disabled;
            }
        }
        return changed;
    }

    /** The tools as a client is offered them. */
    Offer offer() {
        var entries = new LinkedHashMap<Place, RawJson>();
        for (var server : servers.values()) {
            server.tools()
                    .forEach(
                            (name, entry) -> {
                                if (!server.disabled.contains(name)) {
                                    entries.put(
                                            new Place(server.slug, server.installationId, name),
                                            entry);
                                }
                            });
        }
        var names = new ToolNames(options.isOfOneServer()).of(entries.keySet());
        var tools = new ArrayList<OfferedTool>();
        names.forEach(
                (place, name) ->
                        tools.add(
                                new OfferedTool(
                                        name,
                                        place.serverSlug(),
                                        place.installationId(),
                                        place.tool(),
                                        DescribedTool.named(
                                                name,
                                                place,
                                                Objects.requireNonNull(entries.get(place))))));
        return new Offer(tools, one());
    }

    /** The first one where tools have their servers' names. */
    private @Nullable OneServer one() {
        if (!options.isOfOneServer() || servers.isEmpty()) {
            return null;
        }
        var server = servers.values().iterator().next();
        return server.all == null
                ? OneServer.of(server.slug, server.installationId, null)
                : server.all;
    }
}
