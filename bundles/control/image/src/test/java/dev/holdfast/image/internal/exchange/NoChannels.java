package dev.holdfast.image.internal.exchange;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.rpc.NodeChannels;
import io.grpc.Channel;
import java.net.InetSocketAddress;
import javax.net.ssl.SSLContext;

/** Channels of a node without other nodes. */
public final class NoChannels implements NodeChannels {
  @Override
  public Channel channel(String node) {
    throw new AssertionError("node " + node + " does not exist");
  }

  @Override
  public InetSocketAddress address(String node) throws StorageException {
    throw new StorageException(ErrorCode.UNREACHABLE, "node " + node + " does not exist");
  }

  @Override
  public SSLContext sslContext(String node) throws StorageException {
    throw new StorageException(ErrorCode.UNREACHABLE, "node " + node + " does not exist");
  }
}
