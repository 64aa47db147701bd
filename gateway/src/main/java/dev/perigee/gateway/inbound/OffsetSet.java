package dev.perigee.gateway.inbound;

import java.util.BitSet;

/**
 * Some offsets of one partition, none of them below {@link #base}. Immutable; pure.
 *
 * @param bits those that are in it, counted from the base
 */
public record OffsetSet(long base, BitSet bits) {

    public OffsetSet {
        bits = (BitSet) bits.clone();
    }

    /** No offset. */
    public static OffsetSet none(long base) {
        return new OffsetSet(base, new BitSet());
    }

    @Override
    public BitSet bits() {
        return (BitSet) bits.clone();
    }

    public boolean contains(long offset) {
        long index = offset - base;
        return index >= 0 && index < bits.length() && bits.get((int) index);
    }

    /** Those from an offset on, counted from there. */
    BitSet from(long offset) {
        long passed = offset - base;
        if (passed >= 0) {
            return passed >= bits.length() ? new BitSet() : bits.get((int) passed, bits.length());
        }
        var moved = new BitSet();
        bits.stream().forEach(index -> moved.set(Math.toIntExact(index - passed)));
        return moved;
    }
}
