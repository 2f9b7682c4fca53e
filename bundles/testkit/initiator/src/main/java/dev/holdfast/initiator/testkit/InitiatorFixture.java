package dev.holdfast.initiator.testkit;

import dev.holdfast.initiator.HostState;
import dev.holdfast.initiator.Initiator;
import java.net.URI;

/**
 * The initiator under test. It needs a host with the initiator's prerequisites, and in most cases
 * root.
 */
public interface InitiatorFixture {

  /**
   * Returns a new initiator like that of another process, which knows only the stored state.
   *
   * @param state the folder of the stored state, not null
   */
  Initiator initiator(HostState state);

  /** Returns the endpoint of a served volume, never null. */
  URI endpoint();

  /** Returns the size of that volume in bytes, at least 32 MiB. */
  long bytes();

  /** Returns an endpoint of the same kind without a listener, never null. */
  URI silent();

  /**
   * Rejects remains of a connection of the volume on the host: a process, a session or a device.
   *
   * @throws Exception when remains exist, or this cannot be determined
   */
  void assertNothingIsLeft() throws Exception;

  /**
   * Stops serving the volume.
   *
   * @throws Exception when that fails
   */
  void close() throws Exception;
}
