package dev.holdfast.share;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The wanted state of a share.
 *
 * @param volume the volume; never changes
 * @param serve whether the share also runs without a workload's ticket for the volume
 * @param protocol protocol of the server; never changes
 * @param address floating address of the serving node as IP/LENGTH%INTERFACE, for example
 *     10.0.0.9/24%eth0; empty to serve at the node's own address
 * @param port port of the server; 0 until the system has chosen a port that is unique among shares
 * @param nodeSelector tags that a node must have to serve the share
 * @param mountOptions options with which clients mount the share; empty for the defaults
 * @param squash users of clients that become anonymous
 * @param leaseSeconds time after which the server forgets a silent client, 5 to 120
 * @param graceSeconds time in which clients reclaim their locks from a new server, from
 *     leaseSeconds to 180
 * @param allowedClients clients that may mount the share; empty for the nodes of the cluster only
 * @param filesystem filesystem for a blank volume, and mount options
 * @param keyFile absolute path of a file on each node with the passphrase of an encrypted volume;
 *     empty for a volume that is not encrypted, or with keySecret
 * @param keySecret name of a secret with the passphrase of an encrypted volume as CRYPTO_KEY_VALUE,
 *     which each node can read; empty for a volume that is not encrypted, or with keyFile
 * @param trimRequest request id; a new id makes the filesystem report its unused blocks to the
 *     volume
 */
@RecordBuilder
public record ShareManagerSpec(
    String volume,
    boolean serve,
    String protocol,
    String address,
    int port,
    List<String> nodeSelector,
    List<String> mountOptions,
    ShareSquash squash,
    Integer leaseSeconds,
    Integer graceSeconds,
    List<AllowedClient> allowedClients,
    ShareFilesystem filesystem,
    String keyFile,
    String keySecret,
    String trimRequest)
    implements ShareManagerSpecBuilder.With {
  /** The value with all fields at their defaults. */
  public static final ShareManagerSpec EMPTY = ShareManagerSpecBuilder.builder().build();

  private static final Pattern SECRET = Pattern.compile("[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?");
  private static final int DEFAULT_LEASE = 10;
  private static final int DEFAULT_GRACE = 15;
  private static final int SHORTEST_LEASE = 5;
  private static final int LONGEST_LEASE = 120;
  private static final int LONGEST_GRACE = 180;
  private static final int LARGEST_PORT = 65_535;
  private static final int LONGEST_REQUEST = 253;
  private static final int MOST_CLIENTS = 256;

  /** Replaces null components by their defaults and copies the collections. */
  public ShareManagerSpec {
    volume = Defaults.text(volume);
    protocol = Defaults.or(protocol, "nfs");
    address = Defaults.text(address);
    nodeSelector = Defaults.list(nodeSelector);
    mountOptions = Defaults.list(mountOptions);
    squash = Defaults.or(squash, ShareSquash.NONE);
    leaseSeconds = Defaults.or(leaseSeconds, DEFAULT_LEASE);
    graceSeconds = Defaults.or(graceSeconds, DEFAULT_GRACE);
    allowedClients = Defaults.list(allowedClients);
    filesystem = Defaults.or(filesystem, ShareFilesystem.DEFAULT);
    keyFile = Defaults.text(keyFile);
    keySecret = Defaults.text(keySecret);
    trimRequest = Defaults.text(trimRequest);
  }

  /**
   * Returns whether a text can be the name of a secret.
   *
   * @param text not null
   */
  public static boolean isSecretName(String text) {
    return SECRET.matcher(text).matches();
  }

  /** Returns whether the volume is encrypted. */
  public boolean isEncrypted() {
    return !keyFile.isEmpty() || !keySecret.isEmpty();
  }

  List<FieldError> validate() {
    Checks checks = new Checks();
    checkServer(checks);
    checks.that(
        allowedClients.size() <= MOST_CLIENTS,
        "spec.allowedClients",
        allowedClients.size() + " entries",
        "must be at most 256: name networks instead of hosts");
    checkEncryption(checks);
    checks.that(
        trimRequest.length() <= LONGEST_REQUEST,
        "spec.trimRequest",
        trimRequest,
        "must be at most 253 characters");
    for (int i = 0; i < allowedClients.size(); i++) {
      allowedClients.get(i).check(checks, "spec.allowedClients[" + i + "]");
    }
    ShareFilesystem.checkOptions(checks, mountOptions, "spec.mountOptions");
    return filesystem.checked(checks, "spec.filesystem").errors();
  }

  private void checkServer(Checks checks) {
    checks
        .name(volume, "spec.volume")
        .name(protocol, "spec.protocol")
        .that(
            address.isEmpty() || ShareAddress.parsed(address).isPresent(),
            "spec.address",
            address,
            "must be IP/LENGTH%INTERFACE, for example 10.0.0.9/24%eth0")
        .that(
            port >= 0 && port <= LARGEST_PORT,
            "spec.port",
            port,
            "must be from 1 to 65535, or 0 to let the system choose")
        .that(
            leaseSeconds >= SHORTEST_LEASE && leaseSeconds <= LONGEST_LEASE,
            "spec.leaseSeconds",
            leaseSeconds,
            "must be from 5 to 120")
        .that(
            graceSeconds >= leaseSeconds && graceSeconds <= LONGEST_GRACE,
            "spec.graceSeconds",
            graceSeconds,
            "must be from spec.leaseSeconds to 180");
  }

  private void checkEncryption(Checks checks) {
    checks
        .that(
            keyFile.isEmpty() || keyFile.startsWith("/"),
            "spec.keyFile",
            keyFile,
            "must be an absolute path")
        .that(
            keySecret.isEmpty() || isSecretName(keySecret),
            "spec.keySecret",
            keySecret,
            "must have at most 63 lower-case letters, digits, dashes and dots")
        .that(
            keySecret.isEmpty() || keyFile.isEmpty(),
            "spec.keySecret",
            keySecret,
            "excludes spec.keyFile " + keyFile + ": set one of them");
  }

  List<FieldError> validateChange(ShareManagerSpec earlier) {
    return new Checks()
        .immutable(earlier.volume, volume, "spec.volume")
        .immutable(earlier.protocol, protocol, "spec.protocol")
        .errors();
  }
}
