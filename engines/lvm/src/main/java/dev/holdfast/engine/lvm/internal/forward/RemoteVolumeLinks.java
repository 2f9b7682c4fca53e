package dev.holdfast.engine.lvm.internal.forward;

import dev.holdfast.engine.lvm.rpc.BlockReply;
import dev.holdfast.engine.lvm.rpc.BlockRequest;
import dev.holdfast.engine.lvm.rpc.Joined;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.function.BiConsumer;

/** The way to volumes that other nodes have open. Thread-safe. */
public interface RemoteVolumeLinks {
  /**
   * Begins a session. Blocks.
   *
   * @throws StorageException FORBIDDEN when the node does not admit this one; UNREACHABLE or
   *     TIMEOUT when it does not answer, or an earlier request of this node has not ended
   */
  Joined join(String node, String volume, Duration timeout) throws StorageException;

  /**
   * Makes a request of a session.
   *
   * @param request with its session
   * @param ended called once, with a reply or a failure, on any thread; FORBIDDEN when the session
   *     has ended
   */
  void submit(
      String node,
      BlockRequest request,
      Duration timeout,
      BiConsumer<BlockReply, StorageException> ended);
}
