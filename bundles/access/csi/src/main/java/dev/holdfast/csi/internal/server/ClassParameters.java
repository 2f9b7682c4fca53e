package dev.holdfast.csi.internal.server;

import dev.holdfast.mounts.NfsOptions;
import dev.holdfast.resource.DeletionGrace;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.restore.RestoreDamaged;
import dev.holdfast.resource.restore.RestoreMode;
import dev.holdfast.resource.volume.AutoBalance;
import dev.holdfast.resource.volume.CloneMode;
import dev.holdfast.resource.volume.DataLocality;
import dev.holdfast.resource.volume.SettingOverride;
import dev.holdfast.resource.volume.VolumeQos;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.share.ShareManagerSpec;
import io.grpc.StatusException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Parameters of a StorageClass for a volume, and those that a VolumeAttributesClass can change
 * later. Parameters with the same meaning have Longhorn's names. Stateless.
 */
public final class ClassParameters {
  /** The filesystem for volumes whose claim names none; kept in the volume's context. */
  public static final String FILESYSTEM = "fsType";

  /** Options of the program that makes the filesystem; kept in the volume's context. */
  public static final String MAKE_OPTIONS = "mkfsParams";

  // Options and their values without paths, because the filesystem must depend on the volume alone.
  private static final Pattern OPTIONS = Pattern.compile("[A-Za-z0-9_^,=:.%+ -]*");

  /** Whether a volume's content is encrypted by the node; kept in the volume's context. */
  public static final String ENCRYPTED = "encrypted";

  /** Options with which nodes mount a share; kept in its ShareManager. */
  public static final String NFS_OPTIONS = "nfsOptions";

  /** Secret with the key of an encrypted share, which the serving node reads. */
  public static final String SHARE_KEY_SECRET = "shareKeySecret";

  /** Address of the backup that is the first content. */
  static final String FROM_BACKUP = "fromBackup";

  /** Whether pods may use a volume during its restore; without effect for other volumes. */
  public static final String RESTORE_MODE = "restoreMode";

  /** Longhorn's name for a device that two nodes may have during a move. */
  public static final String MIGRATABLE = "migratable";

  /** Prefix of the parameters with which Kubernetes names the claim of a volume or snapshot. */
  private static final String FOR_WHOM = "csi.storage.k8s.io/";

  private static final Set<String> FOR_WHOM_KEYS =
      Set.of(
          FOR_WHOM + "pv/name",
          FOR_WHOM + "pvc/name",
          FOR_WHOM + "pvc/namespace",
          FOR_WHOM + "volumesnapshot/name",
          FOR_WHOM + "volumesnapshot/namespace",
          FOR_WHOM + "volumesnapshotcontent/name",
          FOR_WHOM + "volumegroupsnapshot/name",
          FOR_WHOM + "volumegroupsnapshot/namespace",
          FOR_WHOM + "volumegroupsnapshotcontent/name");

  private static final Map<String, Setter> AT_ANY_TIME = new TreeMap<>();
  private static final Map<String, Setter> AT_CREATION = new TreeMap<>();

  /** Sets one value. Throws IllegalArgumentException for an invalid text. */
  private interface Setter {
    VolumeSpec set(VolumeSpec spec, String text);
  }

  static {
    AT_ANY_TIME.put("numberOfReplicas", (spec, text) -> spec.withNumberOfReplicas(number(text)));
    AT_ANY_TIME.put("snapshotMaxCount", (spec, text) -> spec.withSnapshotMaxCount(number(text)));
    AT_ANY_TIME.put(
        "replicaAutoBalance",
        (spec, text) -> spec.withReplicaAutoBalance(one(text, AutoBalance.values())));
    AT_ANY_TIME.put(
        "rebuildBytesPerSecond",
        (spec, text) -> spec.withRebuildBytesPerSecond(Quantity.parse(text)));
    AT_ANY_TIME.put(
        "unmapMarkSnapChainRemoved",
        (spec, text) -> spec.withUnmapMarkSnapChainRemoved(one(text, SettingOverride.values())));
    AT_ANY_TIME.put(
        "freezeFilesystemForSnapshot",
        (spec, text) -> spec.withFreezeFilesystemForSnapshot(one(text, SettingOverride.values())));
    AT_ANY_TIME.put("iops", qos((qos, text) -> qos.withIops(number(text))));
    AT_ANY_TIME.put("readIops", qos((qos, text) -> qos.withReadIops(number(text))));
    AT_ANY_TIME.put("writeIops", qos((qos, text) -> qos.withWriteIops(number(text))));
    AT_ANY_TIME.put("bandwidth", qos((qos, text) -> qos.withBandwidth(Quantity.parse(text))));
    AT_ANY_TIME.put(
        "readBandwidth", qos((qos, text) -> qos.withReadBandwidth(Quantity.parse(text))));
    AT_ANY_TIME.put(
        "writeBandwidth", qos((qos, text) -> qos.withWriteBandwidth(Quantity.parse(text))));
    AT_ANY_TIME.put("burstSeconds", qos((qos, text) -> qos.withBurstSeconds(number(text))));

    AT_CREATION.put("cloneMode", (spec, text) -> spec.withCloneMode(one(text, CloneMode.values())));
    AT_CREATION.put("dataEngine", VolumeSpec::withDataEngine);
    AT_CREATION.put(
        "dataLocality", (spec, text) -> spec.withDataLocality(one(text, DataLocality.values())));
    AT_CREATION.put("frontend", VolumeSpec::withFrontend);
    // Options of the engine lvm; the API defines its values.
    AT_CREATION.put("mode", option("mode"));
    AT_CREATION.put("wipe", option("wipe"));
    AT_CREATION.put("nodeSelector", (spec, text) -> spec.withNodeSelector(list(text)));
    AT_CREATION.put("diskSelector", (spec, text) -> spec.withDiskSelector(list(text)));
    AT_CREATION.put(
        "staleReplicaTimeout", (spec, text) -> spec.withStaleReplicaTimeout(number(text)));
    AT_CREATION.put(
        "replicaSoftAntiAffinity",
        (spec, text) -> spec.withReplicaSoftAntiAffinity(one(text, SettingOverride.values())));
    AT_CREATION.put(
        "replicaZoneSoftAntiAffinity",
        (spec, text) -> spec.withReplicaZoneSoftAntiAffinity(one(text, SettingOverride.values())));
    AT_CREATION.put(
        "replicaDiskSoftAntiAffinity",
        (spec, text) -> spec.withReplicaDiskSoftAntiAffinity(one(text, SettingOverride.values())));
    AT_CREATION.put("witness", (spec, text) -> spec.withWitness(truth(text)));
    AT_CREATION.put("flushedOnly", (spec, text) -> spec.withFlushedOnly(truth(text)));
    // The claim decides whether this applies: only a device for several nodes is migratable.
    AT_CREATION.put(MIGRATABLE, (spec, text) -> spec.withMigratable(truth(text)));
    // These affect mounts only.
    AT_CREATION.put(FILESYSTEM, (spec, text) -> spec);
    AT_CREATION.put(MAKE_OPTIONS, checked(ClassParameters::makeOptions));
    AT_CREATION.put(ENCRYPTED, checked(ClassParameters::truth));
    AT_CREATION.put(NFS_OPTIONS, checked(NfsOptions::parse));
    AT_CREATION.put(SHARE_KEY_SECRET, checked(ClassParameters::secretName));
    AT_ANY_TIME.put(
        "deletionGrace",
        (spec, text) -> {
          DeletionGrace.parse(text);
          return spec.withDeletionGrace(text);
        });
    AT_ANY_TIME.put("backupTargetName", VolumeSpec::withBackupTargetName);
    AT_CREATION.put(FROM_BACKUP, VolumeSpec::withFromBackup);
    AT_CREATION.put(RESTORE_MODE, checked(text -> one(text, RestoreMode.values())));
    AT_CREATION.put(
        "restoreDamaged",
        (spec, text) -> spec.withRestoreDamaged(one(text, RestoreDamaged.values())));
    AT_CREATION.put(JobSelector.PARAMETER, checked(JobSelector::labels));
    // The parameters of the image are parsed together.
    ImageParameters.KEYS.forEach(key -> AT_CREATION.put(key, (spec, text) -> spec));
  }

  private ClassParameters() {}

  private interface QosSetter {
    VolumeQos set(VolumeQos qos, String text);
  }

  private static Setter qos(QosSetter setter) {
    return (spec, text) -> spec.withQos(setter.set(spec.qos(), text));
  }

  private static Setter option(String name) {
    return (spec, text) -> {
      Map<String, String> options = new TreeMap<>(spec.engineOptions());
      options.put(name, text);
      return spec.withEngineOptions(options);
    };
  }

  /** Returns a setter that only checks a value without effect on the spec. */
  private static Setter checked(Function<String, ?> check) {
    return (spec, text) -> {
      Object unused = check.apply(text);
      return spec;
    };
  }

  private static int number(String text) {
    return Integer.parseInt(text);
  }

  private static boolean truth(String text) {
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException("must be true or false");
    };
  }

  private static List<String> list(String text) {
    return Arrays.stream(text.split(",", -1))
        .map(String::strip)
        .filter(part -> !part.isEmpty())
        .toList();
  }

  /** Returns the words of the options for mkfs. */
  public static List<String> makeOptions(String text) {
    if (!OPTIONS.matcher(text).matches()) {
      throw new IllegalArgumentException(
          "must be options of mkfs, of letters, digits and _^,=:.%+- only");
    }
    return Arrays.stream(text.split(" ", -1)).filter(word -> !word.isEmpty()).toList();
  }

  private static <E> E one(String text, E[] values) {
    return Arrays.stream(values)
        .filter(value -> value.toString().equals(text))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("must be one of " + Arrays.toString(values)));
  }

  /**
   * Applies the parameters of a StorageClass to the spec of a new volume.
   *
   * @throws StatusException INVALID_ARGUMENT with the parameter, and for an unknown one with all
   *     known ones
   */
  public static VolumeSpec created(VolumeSpec spec, Map<String, String> parameters)
      throws StatusException {
    Map<String, Setter> known = new TreeMap<>(AT_CREATION);
    known.putAll(AT_ANY_TIME);
    ImageParameters.of(parameters);
    VolumeSpec applied = applied("parameters", spec, plain(parameters), known);
    RequestedAccess.checkFilesystem(
        "parameters[" + FILESYSTEM + "]", parameters.getOrDefault(FILESYSTEM, ""));
    return applied;
  }

  /** Applies the parameters of a VolumeAttributesClass to a spec, as {@link #created} does. */
  public static VolumeSpec modified(VolumeSpec spec, Map<String, String> mutable)
      throws StatusException {
    return applied("mutable_parameters", spec, mutable, AT_ANY_TIME);
  }

  private static VolumeSpec applied(
      String field, VolumeSpec spec, Map<String, String> values, Map<String, Setter> known)
      throws StatusException {
    UnaryOperator<String> at = name -> field + "[" + name + "]";
    VolumeSpec result = spec;
    for (Map.Entry<String, String> value : new TreeMap<>(values).entrySet()) {
      Setter setter = known.get(value.getKey());
      if (setter == null) {
        throw CsiStatus.invalid(
            at.apply(value.getKey()),
            "is not known, or what it is for is not there yet; known are "
                + String.join(", ", known.keySet()));
      }
      try {
        result = setter.set(result, value.getValue());
      } catch (NumberFormatException e) {
        throw CsiStatus.invalid(
            at.apply(value.getKey()), "\"" + value.getValue() + "\" is not a number");
      } catch (IllegalArgumentException e) {
        throw CsiStatus.invalid(
            at.apply(value.getKey()), "\"" + value.getValue() + "\": " + e.getMessage());
      }
    }
    return result;
  }

  private static String secretName(String value) {
    if (!ShareManagerSpec.isSecretName(value)) {
      throw new IllegalArgumentException("must be the name of a Secret");
    }
    return value;
  }

  /** Returns whether a class, or a volume's context, requires encrypted content. */
  public static boolean isEncrypted(Map<String, String> parameters) {
    return "true".equals(parameters.get(ENCRYPTED));
  }

  /** Returns the parameters without those that Kubernetes adds. */
  static Map<String, String> plain(Map<String, String> parameters) {
    Map<String, String> plain = new TreeMap<>(parameters);
    plain.keySet().removeAll(FOR_WHOM_KEYS);
    return plain;
  }

  /**
   * Returns the parameters that Kubernetes added, as annotations, whose names have at most one
   * slash.
   */
  public static Map<String, String> forWhom(Map<String, String> parameters) {
    Map<String, String> annotations = new TreeMap<>();
    for (String key : FOR_WHOM_KEYS) {
      if (parameters.containsKey(key)) {
        String name = key.substring(FOR_WHOM.length()).replace('/', '-');
        annotations.put(CsiNames.DRIVER + "/" + name, parameters.get(key));
      }
    }
    return annotations;
  }

  /** Returns parameters as one canonical text. */
  public static String text(Map<String, String> parameters) {
    return new TreeMap<>(plain(parameters))
        .entrySet().stream()
            .map(entry -> entry.getKey() + "=" + entry.getValue())
            .collect(Collectors.joining("; "));
  }
}
