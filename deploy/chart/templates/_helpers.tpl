{{- define "holdfast.labels" -}}
app.kubernetes.io/name: holdfast
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: holdfast
{{- end }}

{{- define "holdfast.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "holdfast.socketDir" -}}
{{ .Values.kubeletDir }}/plugins/csi.holdfast.dev
{{- end }}

{{- /* The node's options that say where its resources are kept. */ -}}
{{- define "holdfast.storeArgs" -}}
{{- with .Values.store }}
{{- if eq .kind "kubernetes" -}}
- --store=kubernetes
- --namespace=$(POD_NAMESPACE)
{{- else if eq .kind "etcd" -}}
- --store=etcd
- --endpoints={{ required "store.etcd.endpoints: at least one is needed" (join "," .etcd.endpoints) }}
{{- if not (or .etcd.secretName .etcd.insecure) }}
{{- fail "store.etcd.secretName is empty: name a Secret with ca.crt, or set store.etcd.insecure=true for an etcd without TLS" }}
{{- end }}
{{- if .etcd.secretName }}
- --etcd-ca=/etc/holdfast/etcd/ca.crt
{{- if .etcd.user }}
- --etcd-user={{ .etcd.user }}
- --etcd-password-file=/etc/holdfast/etcd/password
{{- else }}
- --etcd-cert=/etc/holdfast/etcd/tls.crt
- --etcd-key=/etc/holdfast/etcd/tls.key
{{- end }}
{{- end }}
{{- else -}}
{{- fail (printf "store.kind is \"%s\"; there are kubernetes and etcd" .kind) }}
{{- end }}
{{- end }}
{{- end }}

{{- /* The Secret by which etcd is used, if it is used and by one. */ -}}
{{- define "holdfast.etcdSecret" -}}
{{- with .Values.store }}
{{- if eq .kind "etcd" }}{{ .etcd.secretName }}{{ end }}
{{- end }}
{{- end }}

{{- /* What is the same for all sidecars: takes a dict with root, sidecar, name, port and args. */ -}}
{{- define "holdfast.sidecar" -}}
- name: {{ .name }}
  image: {{ .sidecar.image | quote }}
  imagePullPolicy: {{ .root.Values.csi.pullPolicy }}
  args:
    - --csi-address=/csi/csi.sock
    - --v={{ .root.Values.csi.logLevel }}
    - --leader-election
    - --leader-election-namespace=$(POD_NAMESPACE)
    {{- if .root.Values.monitoring.podMonitor.enabled }}
    - --http-endpoint=:{{ .port }}
    {{- end }}
    {{- range .args }}
    - {{ . }}
    {{- end }}
    {{- range .sidecar.extraArgs }}
    - {{ . | quote }}
    {{- end }}
  env:
    - name: POD_NAMESPACE
      valueFrom:
        fieldRef:
          fieldPath: metadata.namespace
    - name: NAMESPACE
      valueFrom:
        fieldRef:
          fieldPath: metadata.namespace
    - name: POD_NAME
      valueFrom:
        fieldRef:
          fieldPath: metadata.name
  {{- if .root.Values.monitoring.podMonitor.enabled }}
  ports:
    - name: {{ .name }}
      containerPort: {{ .port }}
  {{- end }}
  # Only the owner of the socket, root, can connect to it; nothing else of root is needed.
  securityContext:
    runAsUser: 0
    allowPrivilegeEscalation: false
    readOnlyRootFilesystem: true
    capabilities:
      drop:
        - ALL
  resources:
    {{- toYaml .root.Values.csi.controller.resources | nindent 4 }}
  volumeMounts:
    - name: socket
      mountPath: /csi
{{- end }}

{{- /* The sidecars that run, separated by commas; their ports have the same names. */ -}}
{{- define "holdfast.sidecarNames" -}}
provisioner,attacher,resizer{{ if .Values.csi.snapshotter.enabled }},snapshotter{{ end }}
{{- end }}
