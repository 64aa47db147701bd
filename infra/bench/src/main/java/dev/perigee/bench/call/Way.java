package dev.perigee.bench.call;

/** Paths of calls. */
public enum Way {
    BARE_PIPE("bare pipe"),
    BARE_KAFKA("bare Kafka"),

    /** The floor: what every fleet of gateways and workers costs, whatever it promises. */
    BARE_RELAY("bare relay"),
    PERIGEE("Perigee");

    private final String label;

    Way(String label) {
        this.label = label;
    }

    public String label() {
        return label;
    }
}
