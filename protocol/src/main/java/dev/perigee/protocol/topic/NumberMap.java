package dev.perigee.protocol.topic;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Values by number, in the order of their numbers, which nearly always come in that order: the
 * offsets of a topic, the entries of a journal. Nothing is made for a value but what it takes in
 * two arrays; one whose number comes late costs a copy of those above. For one thread at a time.
 *
 * <p>A value that is removed leaves a gap. There are never more gaps than values, or a few.
 *
 * @param <V> never null
 */
public final class NumberMap<V> {
    private static final int LEAST = 8;

    /** So much room is kept when the last value goes. */
    private static final int MOST_KEPT = 16;

    private static final long[] NO_NUMBERS = {};
    private static final @Nullable Object[] NO_VALUES = {};

    private long[] numbers = NO_NUMBERS;
    private @Nullable Object[] values = NO_VALUES;

    /** The place of the first value, unless there is none. */
    private int begin;

    /** After the place of the last value. */
    private int end;

    private int size;

    /** The value of a number, null when it has none. */
    public @Nullable V get(long number) {
        int at = place(number);
        return at < 0 ? null : at(at);
    }

    /** Whether a number has a value. */
    public boolean contains(long number) {
        return get(number) != null;
    }

    /** Gives a number a value, in place of the one it had. */
    public void put(long number, V value) {
        int at = place(number);
        if (at >= 0) {
            size += values[at] == null ? 1 : 0;
            values[at] = value;
            return;
        }
        if (end == numbers.length) {
            makeRoom();
        }
        int before = -(place(number) + 1);
        System.arraycopy(numbers, before, numbers, before + 1, end - before);
        System.arraycopy(values, before, values, before + 1, end - before);
        numbers[before] = number;
        values[before] = value;
        end++;
        size++;
    }

    /** Takes the value of a number out; null when it has none. */
    public @Nullable V remove(long number) {
        int at = place(number);
        var value = at < 0 ? null : at(at);
        if (value != null) {
            removeAt(at);
        }
        return value;
    }

    /** Takes out all values whose numbers are below one. */
    public void removeBelow(long number) {
        while (size > 0 && numbers[begin] < number) {
            removeAt(begin);
        }
    }

    /** Takes out all values. */
    public void clear() {
        Arrays.fill(values, begin, end, null);
        size = 0;
        trim();
    }

    public boolean isEmpty() {
        return size == 0;
    }

    public int size() {
        return size;
    }

    /**
     * The lowest number.
     *
     * @throws IllegalStateException when there is none
     */
    public long firstNumber() {
        if (size == 0) {
            throw new IllegalStateException("There is no number");
        }
        return numbers[begin];
    }

    /** The value of the lowest number, null when there is none. */
    public @Nullable V first() {
        return size == 0 ? null : at(begin);
    }

    /** The value of the lowest number from this one on, null when there is none. */
    public @Nullable V from(long number) {
        int at = place(number);
        for (int i = at < 0 ? -(at + 1) : at; i < end; i++) {
            var value = at(i);
            if (value != null) {
                return value;
            }
        }
        return null;
    }

    /** All values, in the order of their numbers. */
    public List<V> values() {
        var all = new ArrayList<V>(size);
        forEach((_, value) -> all.add(value));
        return all;
    }

    /** Takes all values. */
    public interface Visitor<V> {
        void visit(long number, V value);
    }

    /** Passes on all values, in the order of their numbers. */
    public void forEach(Visitor<? super V> visitor) {
        for (int i = begin; i < end; i++) {
            var value = at(i);
            if (value != null) {
                visitor.visit(numbers[i], value);
            }
        }
    }

    @SuppressWarnings("unchecked") // Only values of that type are put there.
    private @Nullable V at(int place) {
        return (V) values[place];
    }

    /** Where a number is, also one whose value is gone; else where it would be, as -place - 1. */
    private int place(long number) {
        return begin < end && numbers[end - 1] < number
                ? -end - 1
                : Arrays.binarySearch(numbers, begin, end, number);
    }

    private void removeAt(int place) {
        values[place] = null;
        size--;
        trim();
        if (end - begin > 2 * size + LEAST) {
            close();
        }
    }

    /** Gives up the gaps at both ends. */
    private void trim() {
        if (size == 0) {
            begin = 0;
            end = 0;
            if (numbers.length > MOST_KEPT) {
                numbers = NO_NUMBERS;
                values = NO_VALUES;
            }
            return;
        }
        while (values[begin] == null) {
            begin++;
        }
        while (values[end - 1] == null) {
            end--;
        }
    }

    /** Closes all gaps. */
    private void close() {
        int to = 0;
        for (int i = begin; i < end; i++) {
            if (values[i] != null) {
                numbers[to] = numbers[i];
                values[to] = values[i];
                to++;
            }
        }
        Arrays.fill(values, Math.max(to, begin), end, null);
        begin = 0;
        end = to;
    }

    private void makeRoom() {
        if (size <= numbers.length / 2) {
            close();
        }
        if (end == numbers.length) {
            int room = Math.max(LEAST, 2 * numbers.length);
            numbers = Arrays.copyOf(numbers, room);
            values = Arrays.copyOf(values, room);
        }
    }
}
