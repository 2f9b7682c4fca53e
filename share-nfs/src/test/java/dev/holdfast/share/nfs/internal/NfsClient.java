package dev.holdfast.share.nfs.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostProgram;
import dev.holdfast.initiator.HostProgram.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A client in user space (libnfs), NFS 4.0. */
final class NfsClient {
  private static final Duration LONG = Duration.ofSeconds(60);

  private final String base;
  private final int port;

  NfsClient(String address, int port, String volume) {
    this.base = "nfs://" + address + "/" + volume + "/";
    this.port = port;
  }

  private String url(String file) {
    return base + file + "?version=4&nfsport=" + port;
  }

  Result list() throws StorageException {
    return HostProgram.run(LONG, List.of("nfs-ls", url("")));
  }

  Result read(String file) throws StorageException {
    return HostProgram.run(LONG, List.of("nfs-cat", url(file)));
  }

  Result write(String file, String content) throws Exception {
    Path source = Files.createTempFile("holdfast-share", ".txt");
    try {
      Files.writeString(source, content);
      return HostProgram.run(LONG, List.of("nfs-cp", source.toString(), url(file)));
    } finally {
      Files.delete(source);
    }
  }
}
