package dev.holdfast.cluster.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.certificates.AuthorityRotation;
import dev.holdfast.certificates.AuthorityRotation.Step;
import dev.holdfast.certificates.NodeAuthority;
import dev.holdfast.certificates.TrustReport;
import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.cluster.ClusterRotation;
import dev.holdfast.cluster.RotationStatus;
import dev.holdfast.cluster.RotationStatus.Phase;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the steps of a rotation once every member has reported that it can follow. A step and the
 * nodes that are left behind are recorded; the reports are not, because members repeat them.
 */
final class LocalRotation implements ClusterRotation {
  private static final Logger LOG = LoggerFactory.getLogger(LocalRotation.class);
  private static final String LEFT = "left";

  private final NodeAuthority authority;
  private final AuthorityRotation rotation;
  private final Supplier<Set<String>> members;
  private final JsonFiles files;
  private final MemberReports reports;

  /**
   * Reads where the rotation is.
   *
   * @param members names of the other members
   */
  LocalRotation(
      Path directory,
      NodeAuthority authority,
      AuthorityRotation rotation,
      Supplier<Set<String>> members,
      Clock clock)
      throws StorageException {
    this.authority = authority;
    this.rotation = rotation;
    this.members = members;
    this.files = new JsonFiles(directory);
    this.reports = new MemberReports(clock);
  }

  /** Takes a member's report; returns the authorities to trust, the one that signs first. */
  synchronized String report(String node, TrustReport report) throws StorageException {
    reports.add(node, report);
    admit(node);
    signWhenTrusted();
    return authority.certificate();
  }

  /** Forgets a member that was removed, or that joins again. */
  synchronized void forget(String node) throws StorageException {
    reports.remove(node);
    admit(node);
  }

  /** Waits for a node again that was left behind: it reports, or its next report is awaited. */
  private void admit(String node) throws StorageException {
    Set<String> left = left();
    if (left.remove(node)) {
      record(left);
    }
  }

  private Set<String> left() throws StorageException {
    Set<String> names = new TreeSet<>();
    Optional<JsonNode> document = files.read(LEFT);
    if (document.isPresent()) {
      document.get().path(LEFT).forEach(name -> names.add(name.asText()));
    }
    return names;
  }

  private void record(Set<String> left) throws StorageException {
    ObjectNode document = files.document();
    left.forEach(document.putArray(LEFT)::add);
    files.write(LEFT, document);
  }

  /** Members that the rotation waits for. */
  private Set<String> followers() throws StorageException {
    Set<String> followers = new TreeSet<>(members.get());
    followers.removeAll(left());
    return followers;
  }

  private void signWhenTrusted() throws StorageException {
    if (rotation.step().filter(Step.TRUST::equals).isPresent() && waiting().isEmpty()) {
      rotation.sign();
      LOG.info("authority {}: signs the certificates of nodes from now on", signing());
    }
  }

  /** The first authority signs; during {@code TRUST} the last one is the new one. */
  private List<String> authorities() throws StorageException {
    return TlsDirectory.fingerprints(authority.certificate());
  }

  private String signing() throws StorageException {
    return authorities().get(0);
  }

  private List<String> waiting() throws StorageException {
    Optional<Step> step = rotation.step();
    List<String> known = authorities();
    List<String> waiting = new ArrayList<>();
    for (String node : step.isEmpty() ? Set.<String>of() : followers()) {
      boolean follows =
          step.get() == Step.TRUST
              ? reports.trusts(node, known.get(known.size() - 1))
              : reports.hasCertificateOf(node, known.get(0));
      if (!follows) {
        waiting.add(node + ": " + reports.absence(node).orElse("follows"));
      }
    }
    return waiting;
  }

  @Override
  public synchronized RotationStatus status() throws StorageException {
    List<String> waiting = waiting();
    Phase phase =
        rotation
            .step()
            .map(
                step ->
                    step == Step.TRUST
                        ? Phase.TRUST
                        : waiting.isEmpty() ? Phase.READY : Phase.RENEW)
            .orElse(Phase.NONE);
    return new RotationStatus(phase, signing(), waiting, List.copyOf(left()));
  }

  @Override
  public synchronized RotationStatus rotate(boolean force) throws StorageException {
    leaveAbsent(force, "rotate");
    if (rotation.step().isEmpty()) {
      rotation.begin();
      LOG.info("a rotation of the cluster's authority began");
    }
    signWhenTrusted();
    return status();
  }

  /** Refuses while members are away, or leaves them behind. */
  private void leaveAbsent(boolean force, String verb) throws StorageException {
    List<String> reasons = new ArrayList<>();
    Set<String> left = left();
    for (String node : followers()) {
      reports
          .absence(node)
          .ifPresent(
              reason -> {
                reasons.add(node + " " + reason);
                left.add(node);
              });
    }
    if (reasons.isEmpty()) {
      return;
    } else if (!force) {
      throw new StorageException(
          ErrorCode.BUSY,
          "the authority cannot be replaced while nodes are away: "
              + String.join(", ", reasons)
              + ": start them, remove them with 'holdfast node remove NAME', or leave them behind"
              + " with 'holdfast cluster authority "
              + verb
              + " --force': they then need a new join");
    }
    record(left);
    LOG.warn("the rotation of the authority continues without nodes: {}", reasons);
  }

  @Override
  public synchronized RotationStatus finish(boolean force) throws StorageException {
    Optional<Step> step = rotation.step();
    if (step.isEmpty()) {
      throw new StorageException(
          ErrorCode.INVALID,
          "no rotation of the authority runs: begin one with 'holdfast cluster authority rotate'");
    }
    leaveAbsent(force, "finish");
    signWhenTrusted();
    List<String> waiting = waiting();
    if (!waiting.isEmpty()) {
      throw new StorageException(
          ErrorCode.BUSY,
          "the old authority is still needed by "
              + String.join(", ", waiting)
              + ": wait until 'holdfast cluster authority status' names no node");
    }
    rotation.finish();
    LOG.info("authority {}: is the only one from now on", signing());
    return status();
  }
}
