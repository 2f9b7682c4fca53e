package dev.holdfast.host;

import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.CompletableFuture;
import org.osgi.annotation.versioning.ProviderType;

/** A program on a host whose streams this process uses. Thread-safe, except its streams. */
@ProviderType
public interface HostProcess {
  /** Returns the stream that it reads; closing it ends its input. */
  OutputStream input();

  /** Returns the stream of what it prints. */
  InputStream output();

  /** Completes when it has ended, with its exit code; exceptionally when the host is lost. */
  CompletableFuture<Integer> exit();

  /** Kills it. Does not wait. */
  void kill();
}
