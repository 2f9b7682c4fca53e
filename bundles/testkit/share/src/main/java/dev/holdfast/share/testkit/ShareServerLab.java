package dev.holdfast.share.testkit;

import dev.holdfast.share.ShareRequest;
import dev.holdfast.share.ShareServer;
import java.util.List;

/**
 * The host of one test of {@link ShareServerKit}, with one attached volume. For one thread.
 *
 * <p>Each method may throw what the host throws; the test then fails.
 */
public interface ShareServerLab {
  /**
   * Returns the server of the host, as its bundle offers it: the same one until {@link #replace}.
   */
  ShareServer server();

  /** Stops the bundle of the server and starts it again; processes of shares stay. */
  void replace() throws Exception;

  /**
   * Returns a request for the attached volume, with epoch 1, an address of the host and a port that
   * no program uses.
   */
  ShareRequest request();

  /**
   * Returns what the host still has of shares: processes, mounts, devices, addresses, sockets and
   * files of its own, one line for each.
   */
  List<String> leftovers() throws Exception;

  /** Ends what a failed test left, and detaches the volume. The kit calls it once. */
  void close() throws Exception;
}
