package dev.perigee.console;

import dev.perigee.console.FleetView.GatewayView;
import dev.perigee.console.FleetView.LinkLine;
import dev.perigee.console.FleetView.PartitionView;
import dev.perigee.console.FleetView.WorkerLine;
import dev.perigee.gateway.FleetSources;
import dev.perigee.gateway.link.WorkerView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Draws the fleet from what the gateway, the group and the topics say. Pure but for asking. */
final class FleetMap {
    private final FleetSources sources;

    FleetMap(FleetSources sources) {
        this.sources = sources;
    }

    /**
     * The fleet now.
     *
     * @param members partitions by gateway, null when the group cannot be asked
     */
    FleetView draw(@Nullable Map<String, Set<Integer>> members, Board.Known known) {
        return new FleetView(
                sources.gatewayId(),
                sources.readiness().obstacles(),
                members != null,
                gateways(members, known),
                workers(known),
                partitions(members, known),
                null,
                known.reading());
    }

    private List<GatewayView> gateways(
            @Nullable Map<String, Set<Integer>> members, Board.Known known) {
        var gateways = new TreeMap<String, GatewayView>();
        if (members == null) {
            // Claims of the past name gateways that are gone, so that only these are sure.
            var own = List.copyOf(new TreeSet<>(sources.states().get().keySet()));
            gateways.put(sources.gatewayId(), new GatewayView(sources.gatewayId(), true, own));
        } else {
            members.forEach(
                    (id, partitions) ->
                            gateways.put(id, new GatewayView(id, true, List.copyOf(partitions))));
        }
        known.claims()
                .values()
                .forEach(
                        claim ->
                                gateways.putIfAbsent(
                                        claim.gatewayId(),
                                        new GatewayView(claim.gatewayId(), false, List.of())));
        return List.copyOf(gateways.values());
    }

    private List<WorkerLine> workers(Board.Known known) {
        var lines = new ArrayList<WorkerLine>();
        var linked = new TreeSet<String>();
        for (var worker : sources.workers().get()) {
            var id = worker.workerId();
            if (id != null) {
                linked.add(id);
            }
            lines.add(
                    new WorkerLine(id, link(worker), id == null ? null : known.workers().get(id)));
        }
        new TreeMap<>(known.workers())
                .forEach(
                        (id, facts) -> {
                            if (!linked.contains(id)) {
                                lines.add(new WorkerLine(id, null, facts));
                            }
                        });
        return lines;
    }

    private static LinkLine link(WorkerView worker) {
        return new LinkLine(
                String.valueOf(worker.address().getAuthority()),
                lower(worker.state()),
                worker.since(),
                lower(worker.phase()),
                worker.problem());
    }

    private List<PartitionView> partitions(
            @Nullable Map<String, Set<Integer>> members, Board.Known known) {
        var owners = new HashMap<Integer, String>();
        if (members != null) {
            members.forEach((id, given) -> given.forEach(partition -> owners.put(partition, id)));
        }
        var states = sources.states().get();
        var views = new ArrayList<PartitionView>();
        for (int partition = 0; partition < sources.partitions(); partition++) {
            var claim = known.claims().get(partition);
            var host = known.hosts().get(partition);
            var state = states.get(partition);
            views.add(
                    new PartitionView(
                            partition,
                            state == null ? owners.get(partition) : sources.gatewayId(),
                            claim == null ? null : claim.gatewayId(),
                            claim == null ? null : claim.epoch(),
                            claim == null ? null : claim.at(),
                            host == null ? null : host.workerId(),
                            state == null ? null : lower(state)));
        }
        return views;
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
