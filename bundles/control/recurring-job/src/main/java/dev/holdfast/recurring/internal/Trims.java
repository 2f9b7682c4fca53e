package dev.holdfast.recurring.internal;

import dev.holdfast.resource.RequestOutcome;
import dev.holdfast.resource.backup.RecurringTask;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.share.ShareManager;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The trims that a job requests, by a text that names the job and the run. The server of a share
 * trims the share's volume. For any other volume, its node trims the filesystems mounted there.
 */
final class Trims {
  private final JobView view;

  Trims(JobView view) {
    this.view = view;
  }

  /**
   * The share of a volume, or the volume itself.
   *
   * @param volume name of the volume
   * @param request id of the last request
   * @param outcome of the last request that ended
   * @param obstacle why a trim is impossible now; empty if it is possible
   */
  private record Subject(String volume, String request, RequestOutcome outcome, String obstacle) {
    static Subject of(ShareManager share) {
      boolean runs = share.status().state() == InstanceState.RUNNING;
      return new Subject(
          share.name(),
          share.spec().trimRequest(),
          share.status().trim(),
          runs ? "" : "its share does not run");
    }

    static Subject of(Volume volume) {
      boolean attached = volume.status().state() == VolumeState.ATTACHED;
      return new Subject(
          volume.name(),
          volume.spec().trimRequest(),
          volume.status().trim(),
          attached ? "" : "it is not attached");
    }

    boolean isPending() {
      return outcome.isPending(request);
    }
  }

  private Optional<Subject> subject(String volume) {
    return view.share(volume).map(Subject::of).or(() -> view.volume(volume).map(Subject::of));
  }

  /** Returns why a trim of a volume is impossible now; empty if it is possible. */
  String obstacle(String volume) {
    return subject(volume).map(Subject::obstacle).orElse("it is deleted");
  }

  private boolean isDue(String request) {
    return !request.equals(RunNames.request(view.job()));
  }

  /**
   * Returns the share of a volume with the request; empty without a share or if the share already
   * has the request.
   */
  Optional<ShareManager> dueShare(String volume) {
    return view.share(volume)
        .filter(share -> isDue(share.spec().trimRequest()))
        .map(share -> share.withSpec(share.spec().withTrimRequest(RunNames.request(view.job()))));
  }

  /**
   * Returns a volume with the request; empty with a share or if the volume already has the request.
   */
  Optional<Volume> dueVolume(String name) {
    return view.volume(name)
        .filter(volume -> view.share(name).isEmpty())
        .filter(volume -> isDue(volume.spec().trimRequest()))
        .map(
            volume -> volume.withSpec(volume.spec().withTrimRequest(RunNames.request(view.job()))));
  }

  private List<Subject> asked(String start) {
    Stream<Volume> volumes =
        view.task() == RecurringTask.FILESYSTEM_TRIM ? view.volumes().stream() : Stream.empty();
    return volumes
        .flatMap(volume -> subject(volume.name()).stream())
        .filter(subject -> subject.request().startsWith(start))
        .toList();
  }

  /** Returns the volumes with a trim that this job requested and that has not ended. */
  Set<String> volumes() {
    return asked(RunNames.requestPrefix(view.job())).stream()
        .filter(subject -> subject.isPending() && subject.obstacle().isEmpty())
        .map(Subject::volume)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private List<Subject> ofRun() {
    return asked(RunNames.request(view.job()));
  }

  /** Returns the volumes with a request of the current run. */
  Set<String> made() {
    return ofRun().stream().map(Subject::volume).collect(Collectors.toCollection(TreeSet::new));
  }

  /** Returns the failed trims of the current run, by volumes. */
  Map<String, String> failures() {
    Map<String, String> failures = new TreeMap<>();
    for (Subject subject : ofRun()) {
      if (!subject.isPending() && !subject.outcome().error().isEmpty()) {
        failures.put(subject.volume(), "trim: " + subject.outcome().error());
      }
    }
    return failures;
  }

  /** Returns the reasons why the current run skipped volumes, by volumes. */
  Map<String, String> skipped() {
    Map<String, String> skipped = new TreeMap<>();
    for (Subject subject : ofRun()) {
      String result = subject.outcome().result();
      if (subject.isPending() && !subject.obstacle().isEmpty()) {
        skipped.put(subject.volume(), subject.obstacle());
      } else if (!subject.isPending() && result.startsWith(Volume.TRIM_SKIPPED)) {
        skipped.put(subject.volume(), result.substring(Volume.TRIM_SKIPPED.length()));
      }
    }
    return skipped;
  }
}
