package dev.holdfast.support.internal.peer;

import dev.holdfast.error.StorageException;
import dev.holdfast.rpc.NodeChannels;
import dev.holdfast.rpc.RpcErrors;
import dev.holdfast.support.internal.pack.EntrySink;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;

/** Receives files of other nodes. Thread-safe. */
public final class NodeFilesClient {
  private final NodeChannels channels;
  private final Duration limit;

  /**
   * Creates a client.
   *
   * @param limit of one call
   */
  public NodeFilesClient(NodeChannels channels, Duration limit) {
    this.channels = channels;
    this.limit = limit;
  }

  /**
   * Receives the part of a support bundle.
   *
   * @throws StorageException UNREACHABLE if the node is down or is an earlier version
   * @throws IOException if the receiver has disconnected
   */
  public void support(String node, byte[] request, EntrySink sink)
      throws StorageException, IOException {
    receive(NodeFileCalls.SUPPORT, node, request, sink);
  }

  /**
   * Receives events of the audit log.
   *
   * @throws StorageException UNREACHABLE if the node is down or is an earlier version
   * @throws IOException if the receiver has disconnected
   */
  public void audit(String node, byte[] request, EntrySink sink)
      throws StorageException, IOException {
    receive(NodeFileCalls.AUDIT, node, request, sink);
  }

  private void receive(
      MethodDescriptor<byte[], byte[]> method, String node, byte[] request, EntrySink sink)
      throws StorageException, IOException {
    try {
      CallOptions options =
          CallOptions.DEFAULT.withDeadlineAfter(limit.toMillis(), TimeUnit.MILLISECONDS);
      Iterator<byte[]> messages =
          ClientCalls.blockingServerStreamingCall(channels.channel(node), method, options, request);
      receive(messages, sink);
    } catch (StatusRuntimeException e) {
      throw RpcErrors.fromStatus("node " + node, e);
    }
  }

  private static void receive(Iterator<byte[]> messages, EntrySink sink) throws IOException {
    String name = "";
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    while (messages.hasNext()) {
      byte[] message = messages.next();
      byte[] body = NodeFileCalls.body(message);
      if (message[0] != NodeFileCalls.NAME) {
        content.write(body);
        continue;
      }
      finish(name, content, sink);
      name = safe(new String(body, StandardCharsets.UTF_8));
    }
    finish(name, content, sink);
  }

  private static void finish(String name, ByteArrayOutputStream content, EntrySink sink)
      throws IOException {
    if (!name.isEmpty()) {
      sink.entry(name, content.toByteArray());
      content.reset();
    }
  }

  /** Returns a safe name, because another node must not choose the path of an unpacked file. */
  private static String safe(String name) {
    return name.replaceAll("[^A-Za-z0-9._/-]", "_").replace("..", "__").replaceFirst("^/+", "");
  }
}
