package dev.holdfast.store.kubernetes.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.json.ResourceJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Storage classes, volumes and claims of a real API server are saved, deleted and created again.
 */
@Tag("slow")
class KubernetesObjectsTest {
  private static final Map<String, String> MARK = Map.of("holdfast.dev/system-restore", "uid-1");

  private static final String OBJECTS =
      """
      apiVersion: storage.k8s.io/v1
      kind: StorageClass
      metadata:
        name: saved
        annotations: {storageclass.kubernetes.io/is-default-class: "true"}
      provisioner: csi.holdfast.dev
      parameters: {numberOfReplicas: "2"}
      ---
      apiVersion: storage.k8s.io/v1
      kind: StorageClass
      metadata: {name: foreign}
      provisioner: csi.example.com
      ---
      apiVersion: v1
      kind: PersistentVolume
      metadata:
        name: pv-saved
        annotations:
          pv.kubernetes.io/provisioned-by: csi.holdfast.dev
          pv.kubernetes.io/bound-by-controller: "yes"
      spec:
        capacity: {storage: 1Gi}
        accessModes: [ReadWriteOnce]
        storageClassName: saved
        claimRef: {namespace: default, name: claim-saved, uid: former}
        csi: {driver: csi.holdfast.dev, volumeHandle: data}
      ---
      apiVersion: v1
      kind: PersistentVolume
      metadata: {name: pv-left}
      spec:
        capacity: {storage: 1Gi}
        accessModes: [ReadWriteOnce]
        claimRef: {namespace: default, name: claim-left}
        csi: {driver: csi.holdfast.dev, volumeHandle: left-out}
      ---
      apiVersion: v1
      kind: PersistentVolumeClaim
      metadata: {name: claim-saved, namespace: default, labels: {app: web}}
      spec:
        accessModes: [ReadWriteOnce]
        storageClassName: saved
        volumeName: pv-saved
        dataSource: {apiGroup: snapshot.storage.k8s.io, kind: VolumeSnapshot, name: s}
        resources: {requests: {storage: 1Gi}}
      """;

  private Kubectl kubectl;
  private KubernetesConnection connection;
  private KubernetesObjects objects;

  @BeforeEach
  void connect() throws Exception {
    kubectl = new Kubectl(TestCluster.server().kubeconfig());
    connection = TestCluster.connect(TestCluster.server().kubeconfig());
    objects = new KubernetesObjects(connection, new ResourceJson());
    Kubectl.Result made = kubectl.runWith(OBJECTS, "apply", "-f", "-");
    assertThat(made.code()).as(made.output()).isZero();
  }

  @AfterEach
  void remove() throws Exception {
    lose();
    connection.close();
  }

  private void lose() throws Exception {
    String none = "{\"metadata\":{\"finalizers\":null}}";
    for (String object :
        List.of("pvc/claim-saved", "pv/pv-saved", "pv/pv-left", "sc/saved", "sc/foreign")) {
      kubectl.run("delete", object, "--ignore-not-found", "--wait=false");
      kubectl.run("patch", object, "-p", none);
    }
  }

  private List<Boolean> createAll(Map<String, String> saved) throws StorageException {
    List<Boolean> ours = new ArrayList<>();
    for (String folder : List.of("storageclasses", "persistentvolumes", "persistentvolumeclaims")) {
      for (Map.Entry<String, String> file : saved.entrySet()) {
        if (file.getKey().startsWith(folder + "/")) {
          ours.add(objects.create(file.getValue(), MARK, "data"::equals));
        }
      }
    }
    return ours;
  }

  private String get(String object, String path) throws Exception {
    return kubectl.run("get", object, "--output=jsonpath=" + path).output().strip();
  }

  @Test
  void savedObjectsAreCreatedAgainAndBoundToEachOther() throws Exception {
    Map<String, String> saved = objects.read("data"::equals);
    assertThat(saved)
        .containsOnlyKeys(
            "storageclasses/saved.json",
            "persistentvolumes/pv-saved.json",
            "persistentvolumeclaims/default/claim-saved.json");
    assertThat(String.join("", saved.values()))
        .doesNotContain("uid", "resourceVersion", "bound-by-controller", "dataSource", "status");

    assertThat(createAll(saved)).as("what is there stays").containsExactly(false, false, false);
    lose();
    assertThat(createAll(saved)).containsExactly(true, true, true);
    assertThat(createAll(saved)).as("a second attempt").containsExactly(true, true, true);
    assertThat(get("pv/pv-saved", "{.spec.claimRef.namespace}/{.spec.claimRef.name}"))
        .isEqualTo("default/claim-saved");
    assertThat(get("pv/pv-saved", "{.spec.claimRef.uid}")).isEmpty();
    assertThat(get("pvc/claim-saved", "{.spec.volumeName} {.metadata.labels.app}"))
        .isEqualTo("pv-saved web");
    assertThat(get("sc/saved", "{.parameters.numberOfReplicas}")).isEqualTo("2");
  }

  @Test
  void hostileAndIncompleteObjectsAreRefused() throws Exception {
    Map<String, String> saved = objects.read("data"::equals);
    String volume = saved.get("persistentvolumes/pv-saved.json");
    String claim = saved.get("persistentvolumeclaims/default/claim-saved.json");
    lose();

    assertRefused(claim, "PersistentVolume pv-saved does not exist");
    assertRefused(volume.replace("\"data\"", "\"other\""), "volume other is not restored");
    assertRefused(volume.replace("csi.holdfast.dev", "csi.example.com"), "spec.csi.driver");
    assertRefused(volume.replace("pv-saved", "../nodes"), "metadata.name");
    assertRefused(claim.replace("PersistentVolumeClaim", "Pod"), "not a kind");
    objects.create(volume, MARK, "data"::equals);
    assertRefused(
        claim
            .replace("\"namespace\":\"default\"", "\"namespace\":\"other\"")
            .replace("\"namespace\" : \"default\"", "\"namespace\" : \"other\""),
        "is bound to another claim");
  }

  @Test
  void errorOfANodeWithoutTheRightNamesTheRemedy() throws Exception {
    try (KubernetesConnection tester =
        TestCluster.connect(TestCluster.server().kubeconfigOfTester())) {
      StorageException e =
          catchThrowableOfType(
              StorageException.class,
              () -> new KubernetesObjects(tester, new ResourceJson()).read(volume -> true));
      assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN);
      assertThat(e).hasMessageContaining("set backups.claims of the chart's values to true");
    }
  }

  private void assertRefused(String text, String why) {
    StorageException e =
        catchThrowableOfType(
            StorageException.class, () -> objects.create(text, MARK, "data"::equals));
    assertThat(e).as(text).isNotNull().hasMessageContaining(why);
    assertThat(e.code()).isEqualTo(ErrorCode.INVALID);
  }
}
