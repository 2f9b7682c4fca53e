package dev.holdfast.client;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.RecurringJob;
import dev.holdfast.resource.backup.RecurringJobSpec;
import dev.holdfast.resource.backup.RecurringTask;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.ResourceStore;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Manages jobs that make snapshots and backups on a schedule. Thread-safe. */
public final class RecurringJobs {
  private final ResourceStore store;
  private final StoreEditor editor;

  /** Manages the jobs of a store. */
  public RecurringJobs(ResourceStore store) {
    this.store = store;
    this.editor = new StoreEditor(store);
  }

  /**
   * Creates a job.
   *
   * @throws StorageException INVALID with the field; NOT_FOUND for the target of a job that makes
   *     or verifies backups; ALREADY_EXISTS
   */
  public RecurringJob create(String name, RecurringJobSpec spec) throws StorageException {
    boolean backups = RecurringTask.of(spec.task()).filter(RecurringTask::needsTarget).isPresent();
    if (backups && store.get(BackupTarget.KIND, spec.backupTargetName()).isEmpty()) {
      throw new StorageException(
          ErrorCode.NOT_FOUND,
          "backup target "
              + spec.backupTargetName()
              + " does not exist: add it with 'holdfast backup add-target URL'");
    }
    return store.create(RecurringJob.of(name, spec));
  }

  /** Returns all jobs by name. */
  public ResourceList<RecurringJob> list() throws StorageException {
    return store.list(RecurringJob.KIND, LabelSelector.ALL);
  }

  /**
   * Returns one job.
   *
   * @throws StorageException NOT_FOUND
   */
  public RecurringJob get(String name) throws StorageException {
    return store.get(RecurringJob.KIND, name).orElseThrow(() -> missing(name));
  }

  private static StorageException missing(String name) {
    return new StorageException(
        ErrorCode.NOT_FOUND,
        "recurring job " + name + " does not exist: see 'holdfast recurring-job list'");
  }

  /** Returns the names of the volumes that a job serves. */
  public List<String> volumes(RecurringJob job) throws StorageException {
    return store.list(Volume.KIND, LabelSelector.ALL).items().stream()
        .filter(volume -> job.selects(volume.metadata().labels()))
        .map(Volume::name)
        .toList();
  }

  /**
   * Deletes a job; its snapshots and backups remain.
   *
   * @throws StorageException NOT_FOUND
   */
  public void delete(String name) throws StorageException {
    store.delete(RecurringJob.KIND, name, get(name).metadata().uid());
  }

  /**
   * Suspends or resumes a job.
   *
   * @throws StorageException NOT_FOUND
   */
  public RecurringJob suspend(String name, boolean suspended) throws StorageException {
    get(name);
    return editor.edit(
        RecurringJob.KIND, name, job -> job.withSpec(job.spec().withSuspend(suspended)));
  }

  /**
   * Adds or removes the selection of a job by a volume. A group of the job that contains the volume
   * continues to serve it.
   *
   * @throws StorageException NOT_FOUND for the job or the volume
   */
  public void select(String name, String volume, boolean selected) throws StorageException {
    RecurringJob job = get(name);
    editor.edit(
        Volume.KIND,
        volume,
        found ->
            found.withMetadata(
                found
                    .metadata()
                    .withLabels(labels(found.metadata().labels(), job.name(), selected))));
  }

  private static Map<String, String> labels(
      Map<String, String> present, String job, boolean selected) {
    Map<String, String> labels = new LinkedHashMap<>(present);
    if (selected) {
      labels.put(RecurringJob.jobLabel(job), RecurringJob.ENABLED);
    } else {
      labels.remove(RecurringJob.jobLabel(job));
    }
    return labels;
  }
}
