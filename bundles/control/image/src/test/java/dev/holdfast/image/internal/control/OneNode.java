package dev.holdfast.image.internal.control;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.rpc.PeerNodes;
import java.net.InetSocketAddress;

/** A node without other nodes. */
record OneNode(String self) implements PeerNodes {
  @Override
  public InetSocketAddress address(String node, String port) throws StorageException {
    throw new StorageException(ErrorCode.UNREACHABLE, "node " + node + " does not exist");
  }
}
