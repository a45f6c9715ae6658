#!/bin/sh
# What an image of Debian 12 gets, where a clone lies in /opt/collscope: for Docker (Dockerfile) and Apptainer (collscope.def) alike.
set -e
cd /opt/collscope
rm -rf .venv .cache build # of the clone: they name its folders
apt-get update
DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ca-certificates git python3 python3-venv
./collscope setup --real
rm -rf /var/lib/apt/lists/*
