package dev.holdfast.initiator.testkit;

import dev.holdfast.initiator.HostState;
import dev.holdfast.initiator.Initiator;
import java.net.URI;

/**
 * The initiator under test. It needs a host with the initiator's requirements, and in most cases
 * root.
 */
public interface InitiatorFixture {

  /**
   * Returns a new initiator, as another process would create one; it knows only its stored state.
   *
   * @param state the folder of the stored state, not null
   */
  Initiator initiator(HostState state);

  /** Returns the endpoint of a volume that is served, never null. */
  URI endpoint();

  /** Returns how large that volume is, in bytes; at least 32 MiB. */
  long bytes();

  /** Returns an endpoint of the same kind where nothing listens, never null. */
  URI silent();

  /**
   * Fails when the host still has anything of a connection of the volume's: a process, a session, a
   * device.
   *
   * @throws Exception when it has, or that cannot be found out
   */
  void assertNothingIsLeft() throws Exception;

  /**
   * Ends what serves the volume.
   *
   * @throws Exception when that fails
   */
  void close() throws Exception;
}
