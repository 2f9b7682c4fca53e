package dev.holdfast.mounts;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.certificates.files.MemberCredential;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.LocalEndpoints;
import dev.holdfast.host.QemuCredential;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * An export in the form for {@code qemu-img}.
 *
 * @param options of the program, such as the credential of this node
 * @param image argument that names the export
 */
record ImageEndpoint(List<String> options, String image) {
  private static final int DEFAULT_PORT = 10809;
  private static final Duration ADMISSION = Duration.ofSeconds(15);

  /**
   * Returns access to an export: by the socket of a node on this machine, otherwise by the node's
   * certificate, otherwise without a credential. Waits until the serving node admits the
   * certificate.
   *
   * @param endpoint endpoint from the status of a volume or snapshot
   * @param data state directory of this host
   * @throws StorageException UNSUPPORTED for an endpoint of another protocol; TIMEOUT; IO
   */
  static ImageEndpoint of(String endpoint, Path data) throws StorageException {
    URI uri = parse(endpoint);
    Optional<MemberCredential> node =
        isLocal(endpoint, data) ? Optional.empty() : MemberCredential.of(data);
    if (node.isEmpty()) {
      return new ImageEndpoint(List.of(), new LocalEndpoints(data).of(uri).toString());
    }
    QemuCredential credential = new QemuCredential(node.get().folder());
    ObjectNode export = credential.with(blockNode(uri));
    credential.awaitAdmission(export, ADMISSION);
    ObjectNode raw = JsonNodeFactory.instance.objectNode().put("driver", "raw");
    raw.set("file", export);
    return new ImageEndpoint(credential.options(), "json:" + raw);
  }

  /**
   * Returns whether an export has a UNIX socket on this machine.
   *
   * @throws StorageException UNSUPPORTED for an endpoint of another protocol
   */
  static boolean isLocal(String endpoint, Path data) throws StorageException {
    return !new LocalEndpoints(data).of(parse(endpoint)).getScheme().equals("nbd");
  }

  private static URI parse(String endpoint) throws StorageException {
    if (!endpoint.startsWith("nbd:") && !endpoint.startsWith("nbd+unix:")) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED, "images go through frontend nbd only, not through " + endpoint);
    }
    return URI.create(endpoint);
  }

  private static ObjectNode blockNode(URI uri) {
    ObjectNode node = JsonNodeFactory.instance.objectNode().put("driver", "nbd");
    int port = uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort();
    node.putObject("server")
        .put("type", "inet")
        .put("host", uri.getHost().replaceAll("^\\[|]$", ""))
        .put("port", Integer.toString(port));
    return node.put("export", uri.getPath().replaceFirst("^/", ""));
  }
}
