package dev.holdfast.frontend.nvmeof;

import dev.holdfast.frontend.testkit.FrontendClient;
import dev.holdfast.frontend.testkit.RequestFailedException;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A host with one I/O queue, for the kit. Larger requests are split like in a kernel. */
final class NvmeClient implements FrontendClient {
  static final int BLOCK = 512;
  private static final int TRANSFER = 1 << 20;

  private final Host.Admin admin;
  private final HostQueue io;

  private NvmeClient(Host.Admin admin, HostQueue io) {
    this.admin = admin;
    this.io = io;
  }

  static NvmeClient connect(URI endpoint, HostOptions options) throws IOException {
    return connect(endpoint, Host.of(options));
  }

  static NvmeClient connect(URI endpoint, Host host) throws IOException {
    String subsystem = endpoint.getPath().substring(1);
    Host.Admin admin = host.admin(endpoint, subsystem, 0);
    try {
      return new NvmeClient(admin, host.io(endpoint, subsystem, admin.controller(), 1));
    } catch (IOException e) {
      admin.queue().close();
      throw e;
    }
  }

  HostQueue admin() {
    return admin.queue();
  }

  HostQueue io() {
    return io;
  }

  @Override
  public CompletableFuture<byte[]> read(long offset, int length) {
    List<CompletableFuture<Outcome>> parts = new ArrayList<>();
    for (int done = 0; done < length; done += TRANSFER) {
      int bytes = Math.min(TRANSFER, length - done);
      Entry entry = Entry.io(0x02, (offset + done) / BLOCK, bytes / BLOCK);
      parts.add(checked(io.send(entry, bytes)));
    }
    return all(parts)
        .thenApply(
            done -> {
              byte[] whole = new byte[length];
              for (int i = 0; i < parts.size(); i++) {
                byte[] part = parts.get(i).join().data();
                System.arraycopy(part, 0, whole, i * TRANSFER, part.length);
              }
              return whole;
            });
  }

  @Override
  public CompletableFuture<Void> write(long offset, byte[] data, boolean durable) {
    List<CompletableFuture<Outcome>> parts = new ArrayList<>();
    for (int done = 0; done < data.length; done += TRANSFER) {
      byte[] part = Arrays.copyOfRange(data, done, Math.min(data.length, done + TRANSFER));
      Entry entry = Entry.io(0x01, (offset + done) / BLOCK, part.length / BLOCK);
      parts.add(checked(io.send(entry.or(12, durable ? 1 << 30 : 0), part)));
    }
    return all(parts);
  }

  @Override
  public CompletableFuture<Void> flush() {
    return checked(io.send(new Entry(0x00).namespace(1), 0)).thenAccept(done -> {});
  }

  @Override
  public CompletableFuture<Void> writeZeroes(long offset, int length) {
    if (length == 0) {
      // As for reads and writes, a command cannot have zero blocks.
      return CompletableFuture.completedFuture(null);
    }
    return checked(io.send(Entry.io(0x08, offset / BLOCK, length / BLOCK), 0))
        .thenAccept(done -> {});
  }

  private static CompletableFuture<Void> all(List<CompletableFuture<Outcome>> parts) {
    return CompletableFuture.allOf(parts.toArray(new CompletableFuture<?>[0]));
  }

  /** Makes a refused command fail, with its status in the protocol's terms. */
  private static CompletableFuture<Outcome> checked(CompletableFuture<Outcome> answer) {
    CompletableFuture<Outcome> checked = new CompletableFuture<>();
    CompletableFuture<Void> unused =
        answer
            .thenAccept(
                outcome -> {
                  try {
                    checked.complete(outcome.orThrow());
                  } catch (RequestFailedException e) {
                    checked.completeExceptionally(e);
                  }
                })
            .exceptionally(
                failure -> {
                  checked.completeExceptionally(
                      failure.getCause() == null ? failure : failure.getCause());
                  return null;
                });
    return checked;
  }

  @Override
  public void close() throws IOException {
    io.close();
    admin.queue().close();
  }
}
