package dev.holdfast.engine;

import java.util.Map;
import java.util.Objects;

/**
 * State that one engine leaves of an open volume for another one of its name, possibly of another
 * version, so that it continues without the register and without looking at everything again. Made
 * of plain bytes, so that nothing of the bundle that made it stays reachable. Immutable but for the
 * arrays, which belong to the resuming engine.
 */
public final class Handover {
  private final int format;
  private final long session;
  private final byte[] state;
  private final Map<String, byte[][]> parts;

  /**
   * Creates a hand-over.
   *
   * @param format version of the engine's own format, raised when an older reader would be misled
   * @param session number of the attempt to resume, higher than all before it
   * @param state in the engine's own format, not null, not copied
   * @param parts what is too large to be copied, by name; not null, the arrays are not copied
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

  /** Returns the number of the attempt that this is given to. */
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
   * Returns the same for another attempt, which fences the one before, even if that still runs;
   * never null.
   */
  public Handover next() {
    return new Handover(format, session + 1, state, parts);
  }
}
