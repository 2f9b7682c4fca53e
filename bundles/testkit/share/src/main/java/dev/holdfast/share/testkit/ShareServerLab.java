package dev.holdfast.share.testkit;

import dev.holdfast.share.ShareRequest;
import dev.holdfast.share.ShareServer;
import java.util.List;

/**
 * The host of one test of {@link ShareServerKit}, with one attached volume. For one thread.
 *
 * <p>Each method may throw exceptions of the host, which fail the test.
 */
public interface ShareServerLab {
  /** Returns the server in the host's bundle, the same one until {@link #replace}. */
  ShareServer server();

  /** Stops the bundle of the server and starts it again; processes of shares continue. */
  void replace() throws Exception;

  /**
   * Returns a request for the attached volume, with epoch 1, an address of the host and a free
   * port.
   */
  ShareRequest request();

  /**
   * Returns the remains of shares on the host: processes, mounts, devices, addresses, sockets and
   * files, one per line.
   */
  List<String> leftovers() throws Exception;

  /** Removes the remains of a failed test, and detaches the volume. The kit calls it once. */
  void close() throws Exception;
}
