package dev.perigee.bench;

import dev.perigee.bench.report.Chart;
import dev.perigee.bench.report.Machine;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Findings of a run, for programs, for people and for the plot. For one thread. */
final class Findings {
    private final Map<String, Object> json = new LinkedHashMap<>();
    private final StringBuilder tables = new StringBuilder();
    private final List<Chart> charts = new ArrayList<>();

    Findings(Machine machine) {
        json.put("machine", machine);
    }

    /** A field of the one JSON object. */
    void put(String field, Object value) {
        json.put(field, value);
    }

    void table(String title, String table) {
        tables.append(title).append('\n').append(table).append('\n');
    }

    void charts(List<Chart> more) {
        charts.addAll(more);
    }

    Map<String, Object> json() {
        return json;
    }

    String tables() {
        return tables.toString();
    }

    List<Chart> charts() {
        return charts;
    }
}
