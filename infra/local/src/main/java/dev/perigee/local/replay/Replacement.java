package dev.perigee.local.replay;

/** Replacement of a value that may be a secret. Never shows a value. */
sealed interface Replacement {
    /** Something that shows nothing of it. */
    record Mask() implements Replacement {}

    /** The value itself: it is none of the secret ones. */
    record Keep() implements Replacement {}

    /** Another value, one of staging. */
    record Value(String text) implements Replacement {
        @Override
        public String toString() {
            return "Value[...]";
        }
    }
}
