package dev.holdfast.engine;

import java.util.Map;
import java.util.Objects;

/**
 * State of an open volume that one engine passes to another engine of the same name, possibly of
 * another version. The successor continues without the register and without a full inspection. The
 * state consists of plain bytes, so that it references no classes of the former bundle. Immutable
 * except for the arrays, which the resuming engine owns.
 */
public final class Handover {
  private final int format;
  private final long session;
  private final byte[] state;
  private final Map<String, byte[][]> parts;

  /**
   * Creates a hand-over.
   *
   * @param format version of the engine's own format, raised when older readers would misinterpret
   *     the state
   * @param session number of the attempt to resume, higher than all earlier ones
   * @param state in the engine's own format, not null, not copied
   * @param parts parts that are too large for a copy, by name; not null, the arrays are not copied
   */
  public Handover(int format, long session, byte[] state, Map<String, byte[][]> parts) {
    this.format = format;
    this.session = session;
    this.state = Objects.requireNonNull(state, "state");
    this.parts = Map.copyOf(parts);
  }

  /** Returns the version of the format. */
  public int format() {
    return format;
  }

  /** Returns the number of the attempt that receives this state. */
  public long session() {
    return session;
  }

  /** Returns the state in the engine's own format, never null, not a copy. */
  public byte[] state() {
    return state;
  }

  /** Returns the large parts by name, never null, not copies. */
  public Map<String, byte[][]> parts() {
    return parts;
  }

  /**
   * Returns the same state for the next attempt, which fences the previous one even if that one
   * still runs; never null.
   */
  public Handover next() {
    return new Handover(format, session + 1, state, parts);
  }
}
